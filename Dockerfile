# The command line with MiniZinc, and the web page: docker build -t catan-cp . && docker run --rm catan-cp generate
FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        python3 python3-venv minizinc gecode-flatzinc chuffed-flatzinc \
    && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN python3 -m venv /opt/catan \
    && /opt/catan/bin/pip install --no-cache-dir '/src[fast]' \
    && rm -rf /src \
    && useradd --create-home player
USER player
WORKDIR /home/player
ENTRYPOINT ["/opt/catan/bin/catan-cp"]
CMD ["generate"]
