// The program `minizinc` in Node, from MiniZinc compiled to WebAssembly. Arguments, files, output and exit statuses
// are the same. `portable.cjs --serve SOCKET` answers many runs instead, so that Node starts and WebAssembly is
// compiled once. MiniZinc runs in a thread of its own, so that the main thread can end it at the time limit.
//
// The WebAssembly build has only the files in its memory (its standard library). This script looks up all other
// paths on the machine. So the paths in arguments and error messages are those of the machine.
"use strict";
const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const vm = require("node:vm");
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");

const RING = 1 << 20; // bytes of output that a run may be ahead of its reader
const SOLVED = /^----------$|^\{"type": "solution"/m;
const LONGEST = 2 ** 31 - 1; // milliseconds of a timer
const [END, OUTPUT, ERRORS] = [0, 1, 2]; // kinds of frames, the last two are those of files
const WINDOWS = process.platform === "win32";
const inside = (file) => (WINDOWS && /^[a-z]:[\\/]/i.test(file) ? "/" + file.replaceAll("\\", "/") : file);
const outside = (file) => (WINDOWS ? file.slice(1) : file);
const minizincFile = (name) => path.join(process.env.CATAN_CP_MINIZINC_FILES || __dirname, name);

if (!isMainThread) parentPort.on("message", async (job) => parentPort.postMessage(await solve(job)));
else if (process.argv[2] === "--serve") serve(process.argv[3]);
else main(process.argv.slice(2));

async function main(args) {
  run({ args, folder: process.cwd() }, await compiled(), (to, bytes) => write(to, bytes), end);
}

function compiled() {
  return WebAssembly.compile(fs.readFileSync(minizincFile("minizinc.wasm")));
}

// Answers runs. A request is a line of JSON and the standard input. The answer has frames: a byte for the kind,
// four for the length, and the content. The end of the connection ends the run.
function serve(place) {
  const module = compiled();
  const server = net.createServer((socket) => {
    let request = Buffer.alloc(0);
    socket.on("error", () => socket.destroy());
    socket.on("data", (part) => {
      request = Buffer.concat([request, part]);
      const cut = request.indexOf(10) + 1;
      if (cut === 0) return;
      const { args, folder, size } = JSON.parse(request.subarray(0, cut));
      if (request.length < cut + size) return;
      socket.removeAllListeners("data").resume();
      module.then((ready) => answer(socket, { args, folder, input: request.subarray(cut) }, ready));
    });
  });
  server.listen(place, () => process.stdout.write("ready\n"));
}

function answer(socket, job, module) {
  const frame = (kind, bytes, more) => {
    const head = Buffer.alloc(5);
    head[0] = kind;
    head.writeUInt32BE(bytes.length, 1);
    if (socket.write(Buffer.concat([head, bytes]))) return true;
    if (more) socket.once("drain", more);
    return false;
  };
  const stop = run(job, module, frame, (status) => {
    frame(END, Buffer.from(`${status}`));
    socket.end();
  });
  socket.on("close", stop);
  if (socket.destroyed) stop();
}

const idle = []; // threads without a run

// Runs MiniZinc in a thread. Calls put(to, bytes, more) for its output, and end(status) once. If put returns false,
// more output waits for the call of more. Returns a function that ends the run.
function run(job, module, put, end) {
  const worker = idle.pop() ?? new Worker(__filename, {
    argv: [], workerData: module, resourceLimits: { stackSizeMb: 64 },
  });
  const rings = { [OUTPUT]: new Ring(), [ERRORS]: new Ring() };
  let timer, solved = false, paused = false, ended = false;
  const pump = (all) => {
    for (const to of [OUTPUT, ERRORS]) {
      for (let bytes; (all || !paused) && (bytes = rings[to].take()).length > 0; ) {
        solved ||= to === OUTPUT && SOLVED.test(bytes);
        paused = put(to, bytes, () => { paused = false; pump(); }) === false;
      }
    }
  };
  const finish = (status, last = "", to = ERRORS) => {
    if (ended) return;
    clearTimeout(timer);
    pump(true);
    if (last) put(to, Buffer.from(last));
    ended = true;
    for (const name of ["message", "error", "exit"]) worker.removeAllListeners(name);
    worker.on("error", () => {}); // of a thread that ends
    end(status);
  };
  const stop = () => {
    if (ended) return;
    const unknown = job.args.includes("--json-stream") ? '{"type": "status", "status": "UNKNOWN"}' : "=====UNKNOWN=====";
    pump(true);
    finish(0, solved ? "" : unknown + "\n", OUTPUT);
    worker.terminate();
  };
  worker.on("message", (status) => {
    if (status === null) return pump();
    finish(status);
    idle.push(worker);
  });
  worker.on("error", (problem) => {
    const crashed = problem instanceof RangeError || /RuntimeError|memory access/.test(`${problem}`);
    finish(crashed ? "SIGABRT" : 1, `${problem}\n`);
  });
  worker.on("exit", finish);
  worker.postMessage({ ...job, output: rings[OUTPUT].shared, errors: rings[ERRORS].shared });
  const milliseconds = timeLimit(job.args);
  if (milliseconds > 0) timer = setTimeout(stop, Math.min(milliseconds, LONGEST));
  return stop;
}

// Bytes in shared memory, which one thread adds and another one takes.
class Ring {
  constructor(shared = new SharedArrayBuffer(8 + RING)) {
    this.shared = shared;
    this.places = new Int32Array(shared, 0, 2); // the numbers of added and of taken bytes
    this.bytes = new Uint8Array(shared, 8);
  }

  // Adds bytes, and calls wake if there were none.
  add(bytes, wake) {
    for (let done = 0, n; done < bytes.length; done += n) {
      const [added, taken] = [this.places[0], Atomics.load(this.places, 1)];
      const start = added & (RING - 1);
      n = Math.min(RING - ((added - taken) | 0), RING - start, bytes.length - done);
      this.bytes.set(bytes.subarray(done, done + n), start);
      Atomics.store(this.places, 0, (added + n) | 0);
      if (n === 0) Atomics.wait(this.places, 1, taken, 1000);
      else if (Atomics.load(this.places, 1) === added) wake();
    }
  }

  take() {
    const [added, taken] = [Atomics.load(this.places, 0), this.places[1]];
    const start = taken & (RING - 1);
    const n = Math.min((added - taken) | 0, RING - start);
    const bytes = Buffer.from(this.bytes.subarray(start, start + n));
    Atomics.store(this.places, 1, (taken + n) | 0);
    Atomics.notify(this.places, 1);
    return bytes;
  }
}

function timeLimit(args) {
  const place = args.findLastIndex((each) => /^--time-limit(=|$)/.test(each));
  return place < 0 ? 0 : Number(args[place].split("=")[1] ?? args[place + 1]);
}

function end(status) {
  if (status === "SIGABRT" && !WINDOWS) process.kill(process.pid, status);
  process.exit(status === "SIGABRT" ? 134 : status);
}

function write(to, bytes) {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += fs.writeSync(to, bytes, done);
    } catch (problem) {
      if (problem.code === "EPIPE") process.exit(1);
      if (problem.code !== "EAGAIN") throw problem;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

async function solve({ args, folder, input, output, errors }) {
  const writers = [lines(new Ring(output)), lines(new Ring(errors))];
  try {
    const instance = await minizinc(workerData);
    await new Promise(setImmediate); // its standard library is loaded shortly after the promise is fulfilled
    prepare(instance.FS, folder, input, writers);
    const declared = args.map((argument, n) =>
      declaring(instance.FS, path.resolve(folder, argument), argument, args[n - 1] ?? "", `/flat${n}.fzn`));
    return instance.callMain(declared.map(inside));
  } finally {
    for (const writer of writers) writer.end();
  }
}

// FlatZinc compiled for Chuffed may use the annotation random_order. Only Chuffed's library declares it, which is not
// loaded with FlatZinc. In this case *kept* gets a copy of the text with the declaration.
function declaring(FS, place, argument, option, kept) {
  if (!argument.endsWith(".fzn") || option.endsWith("fzn") || !fs.existsSync(place)) return argument;
  const text = fs.readFileSync(place, "utf8");
  if (!/\brandom_order\b/.test(text) || /\bannotation random_order;/.test(text)) return argument;
  FS.writeFile(kept, `annotation random_order;\n${text}`);
  return kept;
}

// Returns a new instance of MiniZinc. It is used once, because a second search may not return.
function minizinc(module) {
  globalThis.makeMiniZinc ?? loadFactory();
  return globalThis.makeMiniZinc({
    instantiateWasm: (imports, ready) => {
      WebAssembly.instantiate(module, imports).then((made) => ready(made, module));
      return {};
    },
    locateFile: minizincFile, noInitialRun: true, noExitRuntime: true, thisProgram: "minizinc",
    preRun: [(module) => module.FS.init(() => null, () => null, () => null)],
  });
}

function loadFactory() {
  const text = fs.readFileSync(minizincFile("minizinc-worker.js"), "utf8");
  const factory = /let (\w+)=null;addEventListener\(/; // the only place that names the function for an instance
  if (!factory.test(text)) throw new Error("minizinc-worker.js is not the one that this script was written for");
  const named = text.replace(factory, (all) => `globalThis.makeMiniZinc=i;${all}`);
  Object.assign(globalThis, { require, __dirname, __filename: minizincFile("minizinc-worker.js"), addEventListener() {} });
  vm.runInThisContext(named, { filename: __filename });
}

function prepare(FS, folder, input, [output, errors]) {
  FS.streams[0].stream_ops = { read: input === undefined ? read : reader(input) };
  FS.streams[1].stream_ops = { write: output.write };
  FS.streams[2].stream_ops = { write: errors.write };
  FS.mkdir("/home/web_user/.minizinc");
  FS.writeFile("/home/web_user/.minizinc/Preferences.json", JSON.stringify({
    solverDefaults: [["org.minizinc.gecode_presolver", "--backend-flags", "--allow-unbounded-vars"]],
    tagDefaults: [["", "org.minizinc.gecode_presolver"]],
  }));
  FS.rmdir("/tmp");
  const machine = machineFiles(FS);
  for (const folder of ["/", "/home", "/usr", "/usr/share"]) {
    const node = FS.lookupPath(folder).node;
    const place = (name) => path.posix.join(folder, name);
    node.node_ops = { ...node.node_ops, lookup: (parent, name) => machine(parent, name, outside(place(name))) };
  }
  FS.chdir(inside(folder));
}

// Returns a function that reads from bytes.
function reader(bytes) {
  let place = 0;
  return (_, into, start, count) => {
    const part = bytes.subarray(place, place + count);
    into.set(part, start);
    place += part.length;
    return part.length;
  };
}

function read(_, into, start, count) {
  for (;;) {
    try {
      return fs.readSync(0, into, start, count);
    } catch (problem) {
      if (problem.code === "EOF") return 0;
      if (problem.code !== "EAGAIN") throw problem;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

// Returns functions that add complete lines to a ring, and the rest at the end.
function lines(ring) {
  let rest = Buffer.alloc(0);
  const wake = () => parentPort.postMessage(null);
  const write = (_, from, start, count) => {
    const bytes = Buffer.concat([rest, Buffer.from(from.buffer, from.byteOffset + start, count)]);
    const cut = bytes.lastIndexOf(10) + 1;
    if (cut) ring.add(bytes.subarray(0, cut), wake);
    rest = bytes.subarray(cut);
    return count;
  };
  return { write, end: () => ring.add(rest, wake) };
}

// Returns a lookup for Emscripten's file system. Its nodes read, create and write files of the machine.
function machineFiles(FS) {
  const NUMBERS = { ENOENT: 44, EACCES: 2, EEXIST: 20, ENOTDIR: 54, EISDIR: 31, ENOSPC: 51, EPERM: 63, EROFS: 69 };
  const ask = (action) => {
    try {
      return action();
    } catch (problem) {
      if (problem.code === undefined) throw problem;
      throw new FS.ErrnoError(NUMBERS[problem.code] ?? 29); // 29: an input or output error
    }
  };
  const nodes = {
    getattr(node) {
      const seen = ask(() => fs.statSync(node.place));
      return { ...seen, dev: 1, ino: node.id, rdev: 0, atime: new Date(seen.atimeMs), mtime: new Date(seen.mtimeMs),
        ctime: new Date(seen.ctimeMs), blksize: 4096, blocks: Math.ceil(seen.size / 4096) };
    },
    setattr(node, wanted) {
      if (wanted.size !== undefined) ask(() => fs.truncateSync(node.place, wanted.size));
    },
    lookup: (parent, name) => machine(parent, name, path.join(parent.place, name)),
    mknod(parent, name, mode, device) {
      const place = path.join(parent.place, name);
      ask(() => (FS.isDir(mode) ? fs.mkdirSync(place) : fs.closeSync(fs.openSync(place, "wx"))));
      return nodeOf(parent, name, place, mode, device);
    },
    unlink: (parent, name) => ask(() => fs.unlinkSync(path.join(parent.place, name))),
    rmdir: (parent, name) => ask(() => fs.rmdirSync(path.join(parent.place, name))),
    readdir: (node) => [".", "..", ...ask(() => fs.readdirSync(node.place))],
  };
  const streams = {
    open(stream) {
      if (FS.isDir(stream.node.mode)) return;
      const writes = (stream.flags & 3) !== 0;
      stream.opened = ask(() => fs.openSync(stream.node.place, writes ? "r+" : "r"));
    },
    close: (stream) => stream.opened !== undefined && ask(() => fs.closeSync(stream.opened)),
    read: (stream, into, start, count, place) => ask(() => fs.readSync(stream.opened, into, start, count, place)),
    write: (stream, from, start, count, place) => ask(() => fs.writeSync(stream.opened, from, start, count, place)),
    llseek(stream, offset, whence) {
      const from = [0, stream.position, whence === 2 ? ask(() => fs.fstatSync(stream.opened).size) : 0][whence];
      if (from + offset < 0) throw new FS.ErrnoError(28);
      return from + offset;
    },
  };
  function nodeOf(parent, name, place, mode, device = 0) {
    const node = FS.createNode(parent, name, mode, device);
    return Object.assign(node, { place, node_ops: nodes, stream_ops: streams });
  }
  function machine(parent, name, place) {
    return nodeOf(parent, name, place, ask(() => fs.statSync(place)).mode);
  }
  return machine;
}
