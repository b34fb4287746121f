// The program `minizinc` in Node, from MiniZinc compiled to WebAssembly. Arguments, files, output and exit statuses
// are the same. MiniZinc runs in a second thread, so that the main thread can end it at the time limit.
//
// The WebAssembly build has only the files in its memory (its standard library). This script looks up all other
// paths on the machine. So the paths in arguments and error messages are those of the machine.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { Worker, isMainThread, workerData } = require("node:worker_threads");

const [WRITING, SOLVED] = [0, 1]; // in shared memory: 1 while a thread writes, 1 after a solution was printed
const WINDOWS = process.platform === "win32";
const inside = (file) => (WINDOWS && /^[a-z]:[\\/]/i.test(file) ? "/" + file.replaceAll("\\", "/") : file);
const outside = (file) => (WINDOWS ? file.slice(1) : file);

if (isMainThread) main(process.argv.slice(2));
else solve(workerData.args, new Int32Array(workerData.shared));

function main(args) {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(__filename, {
    argv: [], workerData: { args, shared: shared.buffer }, resourceLimits: { stackSizeMb: 64 },
  });
  worker.on("error", (problem) => {
    fs.writeSync(2, `${problem}\n`);
    end(problem instanceof RangeError || /RuntimeError|memory access/.test(`${problem}`) ? "SIGABRT" : 1);
  });
  worker.on("exit", end);
  const milliseconds = timeLimit(args);
  if (milliseconds > 0) setTimeout(() => stop(shared, args.includes("--json-stream")), milliseconds);
}

function timeLimit(args) {
  const place = args.findLastIndex((each) => /^--time-limit(=|$)/.test(each));
  return place < 0 ? 0 : Number(args[place].split("=")[1] ?? args[place + 1]);
}

// Ends the program after a complete line. Without a solution it prints MiniZinc's status UNKNOWN.
function stop(shared, json) {
  while (Atomics.compareExchange(shared, WRITING, 0, 1) !== 0) Atomics.wait(shared, WRITING, 1, 10);
  if (!shared[SOLVED]) {
    write(1, Buffer.from(json ? '{"type": "status", "status": "UNKNOWN"}\n' : "=====UNKNOWN=====\n"));
  }
  end(0);
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

async function solve(args, shared) {
  const instance = await minizinc();
  await new Promise(setImmediate); // its standard library is loaded shortly after the promise is fulfilled
  prepare(instance.FS, shared);
  const declared = args.map((each, n) => declaring(instance.FS, each, args[n - 1] ?? "", `/flat${n}.fzn`));
  process.exit(instance.callMain(declared.map(inside)));
}

// FlatZinc compiled for Chuffed may use the annotation random_order. Only Chuffed's library declares it, which is not
// loaded with FlatZinc. In this case *kept* gets a copy of the text with the declaration.
function declaring(FS, argument, option, kept) {
  if (!argument.endsWith(".fzn") || option.endsWith("fzn") || !fs.existsSync(argument)) return argument;
  const text = fs.readFileSync(argument, "utf8");
  if (!/\brandom_order\b/.test(text) || /\bannotation random_order;/.test(text)) return argument;
  FS.writeFile(kept, `annotation random_order;\n${text}`);
  return kept;
}

// Returns a new instance of MiniZinc. It is used once, because a second search may not return.
function minizinc() {
  const file = (name) => path.join(process.env.CATAN_CP_MINIZINC_FILES || __dirname, name);
  const text = fs.readFileSync(file("minizinc-worker.js"), "utf8");
  const factory = /let (\w+)=null;addEventListener\(/; // the only place that names the function for an instance
  if (!factory.test(text)) throw new Error("minizinc-worker.js is not the one that this script was written for");
  const named = text.replace(factory, (all) => `globalThis.makeMiniZinc=i;${all}`);
  Object.assign(globalThis, { require, __dirname, __filename: file("minizinc-worker.js"), addEventListener() {} });
  vm.runInThisContext(named, { filename: __filename });
  return globalThis.makeMiniZinc({
    locateFile: file, noInitialRun: true, noExitRuntime: true, thisProgram: "minizinc",
    preRun: [(module) => module.FS.init(() => null, () => null, () => null)],
  });
}

function prepare(FS, shared) {
  FS.streams[0].stream_ops = { read: (_, into, start, count) => read(into, start, count) };
  FS.streams[1].stream_ops = { write: lines(1, shared) };
  FS.streams[2].stream_ops = { write: lines(2, shared) };
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
  FS.chdir(inside(process.cwd()));
}

function read(into, start, count) {
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

// Returns a function that writes complete lines to the file *to*. The rest is written at exit.
function lines(to, shared) {
  let rest = Buffer.alloc(0);
  const put = (bytes) => {
    while (Atomics.compareExchange(shared, WRITING, 0, 1) !== 0) Atomics.wait(shared, WRITING, 1, 10);
    if (to === 1 && !shared[SOLVED] && /^----------$|^\{"type": "solution"/m.test(bytes)) shared[SOLVED] = 1;
    write(to, bytes);
    Atomics.store(shared, WRITING, 0);
  };
  process.on("exit", () => rest.length && put(rest));
  return (_, from, start, count) => {
    const bytes = Buffer.concat([rest, Buffer.from(from.buffer, from.byteOffset + start, count)]);
    const cut = bytes.lastIndexOf(10) + 1;
    if (cut) put(bytes.subarray(0, cut));
    rest = bytes.subarray(cut);
    return count;
  };
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
