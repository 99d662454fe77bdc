/** Rows with their cosines, and whose they are; the id `DEAD` marks a row that counts no more. */
export interface Scored {
  readonly cosines: Float32Array;
  readonly ids: Float64Array;
}

export const DEAD = -1;

/** The best so many of the rows offered, ties to the smaller id: a heap whose top is the worst. */
export class Leaders {
  readonly #cosines: Float32Array;
  readonly #ids: Float64Array;
  readonly #depth: number;
  readonly #heap: number[] = [];

  constructor({ cosines, ids }: Scored, depth: number) {
    this.#cosines = cosines;
    this.#ids = ids;
    this.#depth = depth;
  }

  /** Offers rows `from` to `to` (not included). */
  offer(from: number, to: number): void {
    const cosines = this.#cosines;
    let floor = this.#floor();
    for (let row = from; row < to; row += 1) {
      if ((cosines[row] ?? 0) < floor) continue;
      this.offerRow(row);
      floor = this.#floor();
    }
  }

  offerRow(row: number): void {
    if (this.#ids[row] === DEAD) return;
    if (this.#heap.length < this.#depth) this.#pushUp(row);
    else if (this.#isWorse(this.#heap[0] ?? 0, row)) this.#sinkTop(row);
  }

  /** The ids of those kept, best first. Nothing may be offered afterwards. */
  ranked(): number[] {
    const rows = this.#heap.sort((a, b) => (this.#isWorse(a, b) ? 1 : -1));
    return rows.map((row) => this.#ids[row] ?? DEAD);
  }

  /** What a row must reach to be kept. */
  #floor(): number {
    if (this.#heap.length < this.#depth) return Number.NEGATIVE_INFINITY;
    return this.#cosines[this.#heap[0] ?? 0] ?? 0;
  }

  #isWorse(a: number, b: number): boolean {
    const difference = (this.#cosines[a] ?? 0) - (this.#cosines[b] ?? 0);
    return difference === 0 ? (this.#ids[a] ?? 0) > (this.#ids[b] ?? 0) : difference < 0;
  }

  #pushUp(row: number): void {
    const heap = this.#heap;
    let at = heap.push(row) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(row, heap[parent] ?? 0)) break;
      heap[at] = heap[parent] ?? 0;
      at = parent;
    }
    heap[at] = row;
  }

  #sinkTop(row: number): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.#isWorse(heap[child + 1] ?? 0, heap[child] ?? 0))
        child += 1;
      if (!this.#isWorse(heap[child] ?? 0, row)) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = row;
  }
}
