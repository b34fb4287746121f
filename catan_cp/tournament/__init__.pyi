from .kit import save_kit as save_kit
from .kit import save_standings as save_standings
from .planning import Round as Round
from .planning import Tournament as Tournament
from .planning import plan_tournament as plan_tournament
from .results import Results as Results
from .results import Standings as Standings
from .results import plan_playoff as plan_playoff
