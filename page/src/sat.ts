/**
 * A solver of clauses that learns from its conflicts (CDCL): two watched literals a clause, the first unique implication
 * point, activities that decay, phases that stay, restarts after Luby. It does the same for the same clauses, always.
 *
 * A literal is twice the number of its variable, and one more where the variable is false.
 */

export type Lit = number;

interface Clause {
  lits: Lit[];
  /** Of a learned one: of how many levels its literals were, which tells how much it is worth; 0 of a given one. */
  levels: number;
  dropped: boolean;
}

export const not = (lit: Lit): Lit => lit ^ 1;

const RESTART = 64;
/** So many learned clauses are kept at first, and so many more each time that the worse half is dropped. */
const LEARNED = 2000;
const MORE = 500;
/** Learned clauses of so few levels are always kept. */
const GOOD = 2;
const DECAY = 1 / 0.95;
const LARGE = 1e100;

/** The i-th number, from 0, of 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... */
function luby(i: number): number {
  let size = 1;
  while (size < i + 1) size = 2 * size + 1;
  while (size - 1 !== i) {
    size = (size - 1) >> 1;
    i %= size;
  }
  return (size + 1) >> 1;
}

export class Sat {
  /** The work that was done: conclusions that were looked at. */
  steps = 0;
  private conflicts = 0;
  /** Whether the clauses alone, without assumptions, may still hold. */
  private consistent = true;
  /** By literal: 1 true, -1 false, 0 open. */
  private readonly values: number[] = [];
  /** By literal: the clauses that watch it, and of each a literal that, where it is true, spares a look at it. */
  private readonly watches: Clause[][] = [];
  private readonly others: Lit[][] = [];
  private learned: Clause[] = [];
  private room = LEARNED;
  private readonly reasons: (Clause | undefined)[] = [];
  private readonly levels: number[] = [];
  private readonly phases: Lit[] = [];
  private readonly activities: number[] = [];
  private readonly seen: boolean[] = [];
  private bump = 1;
  private readonly trail: Lit[] = [];
  /** Where on the trail each level begins. */
  private readonly starts: number[] = [];
  private head = 0;
  /** Open variables, the most active one first: a heap, and where each is in it (-1: not there). */
  private readonly heap: number[] = [];
  private readonly places: number[] = [];

  /** A new variable, which is tried with this value first. */
  variable(first = false): Lit {
    const v = this.levels.length;
    this.values.push(0, 0);
    this.watches.push([], []);
    this.others.push([], []);
    this.reasons.push(undefined);
    this.levels.push(0);
    this.phases.push(2 * v + (first ? 0 : 1));
    this.activities.push(0);
    this.seen.push(false);
    this.places.push(-1);
    this.enter(v);
    return 2 * v;
  }

  /** Whether the literal is true, in the solution that was found last. */
  holds(lit: Lit): boolean {
    return this.phases[lit >> 1] === lit;
  }

  add(given: Iterable<Lit>): void {
    const lits = [...new Set(given)].filter((lit) => this.values[lit] !== -1);
    if (lits.some((lit) => this.values[lit] === 1 || lits.includes(not(lit)))) return;
    if (lits.length === 0) this.consistent = false;
    else if (lits.length > 1) this.watch({ lits, levels: 0, dropped: false });
    else {
      this.assign(lits[0], undefined);
      this.consistent &&= !this.propagate();
    }
  }

  /** Whether all clauses can hold with these assumptions; undefined where that many steps do not tell. */
  solve(assumptions: Lit[], most: number): boolean | undefined {
    const end = this.steps + most;
    try {
      for (let round = 0; this.consistent; round++) {
        const found = this.search(assumptions, this.conflicts + RESTART * luby(round), end);
        if (found !== undefined) return found;
        if (this.steps >= end) return undefined;
        this.undo(0);
        if (this.learned.length > this.room) this.forget();
      }
      return false;
    } finally {
      this.undo(0);
    }
  }

  /** Undefined where it is time to begin anew, or the end of the work is reached. */
  private search(assumptions: Lit[], restart: number, end: number): boolean | undefined {
    for (;;) {
      const conflict = this.propagate();
      if (conflict) {
        this.conflicts++;
        if (this.starts.length === 0) {
          this.consistent = false;
          return false;
        }
        this.learn(conflict);
        continue;
      }
      if (this.conflicts >= restart || this.steps >= end) return undefined;
      let next: Lit | undefined;
      while (next === undefined && this.starts.length < assumptions.length) {
        const wanted = assumptions[this.starts.length];
        if (this.values[wanted] === -1) return false;
        if (this.values[wanted] === 1) this.starts.push(this.trail.length);
        else next = wanted;
      }
      next ??= this.choice();
      if (next === undefined) {
        for (const lit of this.trail) this.phases[lit >> 1] = lit;
        return true;
      }
      this.starts.push(this.trail.length);
      this.assign(next, undefined);
    }
  }

  private choice(): Lit | undefined {
    while (this.heap.length) {
      const v = this.leave();
      if (this.values[2 * v] === 0) return this.phases[v];
    }
    return undefined;
  }

  private watch(clause: Clause): void {
    const [a, b] = clause.lits;
    this.watches[a].push(clause);
    this.others[a].push(b);
    this.watches[b].push(clause);
    this.others[b].push(a);
  }

  /** Drops the worse half of what was learned; between two searches, so that nothing hangs on it. */
  private forget(): void {
    this.learned.sort((a, b) => a.levels - b.levels);
    const half = this.learned.length >> 1;
    this.learned = this.learned.filter((clause, i) => {
      clause.dropped = i >= half && clause.levels > GOOD;
      return !clause.dropped;
    });
    this.room += MORE;
  }

  private assign(lit: Lit, reason: Clause | undefined): void {
    const v = lit >> 1;
    this.values[lit] = 1;
    this.values[lit ^ 1] = -1;
    this.reasons[v] = reason;
    this.levels[v] = this.starts.length;
    this.trail.push(lit);
  }

  /** Draws all conclusions; the clause that then is false, where there is one. */
  private propagate(): Clause | undefined {
    const { values, trail } = this;
    while (this.head < trail.length) {
      const wrong = trail[this.head++] ^ 1;
      this.steps++;
      const watching = this.watches[wrong];
      const others = this.others[wrong];
      const n = watching.length;
      let conflict: Clause | undefined;
      let kept = 0;
      for (let i = 0; i < n; i++) {
        const clause = watching[i];
        if (conflict || values[others[i]] === 1) {
          others[kept] = others[i];
          watching[kept++] = clause;
          continue;
        }
        if (clause.dropped) continue;
        const { lits } = clause;
        if (lits[0] === wrong) {
          lits[0] = lits[1];
          lits[1] = wrong;
        }
        const other = lits[0];
        if (values[other] !== 1) {
          let k = 2;
          while (k < lits.length && values[lits[k]] === -1) k++;
          if (k < lits.length) {
            const next = lits[k];
            lits[1] = next;
            lits[k] = wrong;
            this.watches[next].push(clause);
            this.others[next].push(other);
            continue;
          }
          if (values[other] === -1) conflict = clause;
          else this.assign(other, clause);
        }
        others[kept] = other;
        watching[kept++] = clause;
      }
      watching.length = kept;
      others.length = kept;
      if (conflict) return conflict;
    }
    return undefined;
  }

  /** Learns why there was a conflict, and goes back to where that would have been a conclusion. */
  private learn(conflict: Clause): void {
    const { seen, levels, reasons, trail } = this;
    const learned: Lit[] = [0];
    const marked: number[] = [];
    let [open, at] = [0, trail.length];
    let clause: Clause | undefined = conflict;
    let lit: Lit | undefined;
    do {
      for (const each of clause!.lits) {
        const v = each >> 1;
        if (each === lit || seen[v] || levels[v] === 0) continue;
        seen[v] = true;
        marked.push(v);
        this.activate(v);
        if (levels[v] === this.starts.length) open++;
        else learned.push(each);
      }
      do at--;
      while (!seen[trail[at] >> 1]);
      lit = trail[at];
      clause = reasons[lit >> 1];
      open--;
    } while (open > 0);
    learned[0] = not(lit);
    // What follows from the other literals is left out.
    const kept = learned.filter((each, i) => {
      const reason = reasons[each >> 1];
      return i === 0 || !reason?.lits.every((one) => seen[one >> 1] || levels[one >> 1] === 0);
    });
    for (const v of marked) seen[v] = false;
    let second = 1;
    for (let i = 2; i < kept.length; i++) if (levels[kept[i] >> 1] > levels[kept[second] >> 1]) second = i;
    const found = new Set(kept.map((each) => levels[each >> 1])).size;
    this.undo(kept.length > 1 ? levels[kept[second] >> 1] : 0);
    if (kept.length > 1) {
      [kept[1], kept[second]] = [kept[second], kept[1]];
      const clause = { lits: kept, levels: found, dropped: false };
      this.learned.push(clause);
      this.watch(clause);
      this.assign(kept[0], clause);
    } else this.assign(kept[0], undefined);
    this.bump *= DECAY;
  }

  private undo(level: number): void {
    if (this.starts.length <= level) return;
    const start = this.starts[level];
    for (let i = this.trail.length - 1; i >= start; i--) {
      const lit = this.trail[i];
      this.values[lit] = this.values[lit ^ 1] = 0;
      this.phases[lit >> 1] = lit;
      if (this.places[lit >> 1] < 0) this.enter(lit >> 1);
    }
    this.trail.length = start;
    this.starts.length = level;
    this.head = start;
  }

  private activate(v: number): void {
    this.activities[v] += this.bump;
    if (this.activities[v] > LARGE) {
      for (let i = 0; i < this.activities.length; i++) this.activities[i] /= LARGE;
      this.bump /= LARGE;
    }
    if (this.places[v] >= 0) this.rise(this.places[v]);
  }

  private enter(v: number): void {
    this.places[v] = this.heap.length;
    this.heap.push(v);
    this.rise(this.places[v]);
  }

  private leave(): number {
    const { heap, places, activities } = this;
    const top = heap[0];
    const last = heap.pop()!;
    places[top] = -1;
    if (!heap.length) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && activities[heap[child + 1]] > activities[heap[child]]) child++;
      if (activities[heap[child]] <= activities[last]) break;
      heap[i] = heap[child];
      places[heap[i]] = i;
      i = child;
    }
    heap[i] = last;
    places[last] = i;
    return top;
  }

  private rise(from: number): void {
    const { heap, places, activities } = this;
    const v = heap[from];
    let i = from;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (activities[heap[parent]] >= activities[v]) break;
      heap[i] = heap[parent];
      places[heap[i]] = i;
      i = parent;
    }
    heap[i] = v;
    places[v] = i;
  }
}
