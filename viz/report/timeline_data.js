// A trace's pieces of work in columns, and what of them is worth drawing.

const pieceKinds = ["advance", "blend", "finish"];
const waitCauses = ["sibling", "coarser", "parent", "child", "level"];
const noPiece = 0xffffffff;

function decoded(text, Type) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; ++at) bytes[at] = binary.charCodeAt(at);
  return new Type(bytes.buffer);
}

/** Times are microseconds since the trace began. */
class TimelineData {
  constructor(json) {
    this.workers = json.workers;
    this.levels = json.levels;
    this.lanes = json.lanes;
    this.spans = json.spans;
    this.count = json.pieces;
    this.begin = decoded(json.begin, Float64Array);
    this.length = decoded(json.length, Float32Array);
    this.patch = decoded(json.patch, Uint32Array);
    this.phase = decoded(json.phase, Uint32Array);
    this.awaited = decoded(json.awaited, Uint32Array);
    this.cause = decoded(json.cause, Uint8Array);
    this.steals = decoded(json.steals, Uint8Array);
    this.patches = decoded(json.patches, Int32Array);
    this.blocks = decoded(json.blocks, Int32Array);
    this.phases = decoded(json.phases, Int32Array);
    this.end = this.count < json.all_pieces ? this.lastEnd() : json.end;
  }

  lastEnd() {
    let last = 0;
    for (let piece = 0; piece < this.count; ++piece) last = Math.max(last, this.endOf(piece));
    return last;
  }

  endOf(piece) { return this.begin[piece] + this.length[piece]; }
  levelOf(piece) { return this.patches[3 * this.patch[piece]]; }
  kindOf(piece) { return this.phases[4 * this.phase[piece] + 3]; }
  stepOf(piece) { return this.phases[4 * this.phase[piece]]; }
  numberOf(piece) { return this.phases[4 * this.phase[piece] + 2]; }
  patchText(piece) {
    const at = 3 * this.patch[piece];
    return `level ${this.patches[at]} patch (${this.patches[at + 1]}, ${this.patches[at + 2]})`;
  }
  /** Of the patch within its level; undefined where patches were dealt out one by one. */
  blockOf(piece) { return this.blocks[this.patch[piece]]; }
  workerOf(piece) {
    let worker = 0;
    while (this.lanes[worker + 1] <= piece) ++worker;
    return worker;
  }
  /** How long the worker had nothing at hand before a piece. */
  gapBefore(piece) {
    const isFirst = this.lanes.includes(piece);
    return isFirst ? null : Math.max(0, this.begin[piece] - this.endOf(piece - 1));
  }

  /** The first piece of a lane that ends after `time`. */
  firstAfter(lane, time) {
    let low = this.lanes[lane];
    let high = this.lanes[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.endOf(middle) <= time) low = middle + 1; else high = middle;
    }
    return low;
  }

  /**
   * Items to draw between two times. Pieces that are narrower than `least` share one item, in the
   * class (groupOf) that takes most of its time.
   * @return {lane, begin, end, piece (-1: several), count, busy, group} each
   */
  visible(from, to, least, groupOf) {
    const items = [];
    for (let lane = 0; lane < this.workers; ++lane) this.visibleOf(lane, from, to, least, groupOf, items);
    return items;
  }

  visibleOf(lane, from, to, least, groupOf, items) {
    const stop = this.lanes[lane + 1];
    let shares = [];
    let merged = null;
    const flush = () => {
      if (merged === null) return;
      let group = 0;
      shares.forEach((share, at) => { if (share > (shares[group] ?? 0)) group = at; });
      items.push({ ...merged, group });
      merged = null;
    };
    for (let piece = this.firstAfter(lane, from); piece < stop && this.begin[piece] < to; ++piece) {
      const begin = this.begin[piece];
      const length = this.length[piece];
      const group = groupOf(piece);
      if (length >= least) {
        flush();
        items.push({ lane, begin, end: begin + length, piece, count: 1, busy: length, group });
        continue;
      }
      if (merged !== null && begin - merged.begin >= least) flush();
      if (merged === null) {
        merged = { lane, begin, end: begin + length, piece, count: 0, busy: 0 };
        shares = [];
      }
      merged.end = Math.max(merged.end, begin + length);
      merged.count += 1;
      merged.busy += length;
      if (merged.count > 1) merged.piece = -1;
      shares[group] = (shares[group] ?? 0) + length;
    }
    flush();
  }

  rows() {
    const rows = [["worker", "begin_us", "length_us", "base_step", "level", "i", "j", "block", "kind", "number",
      "steals", "cause", "awaited_level", "awaited_i", "awaited_j"]];
    for (let lane = 0; lane < this.workers; ++lane) {
      for (let piece = this.lanes[lane]; piece < this.lanes[lane + 1]; ++piece) {
        const [level, i, j] = this.patches.subarray(3 * this.patch[piece], 3 * this.patch[piece] + 3);
        const awaited = this.awaited[piece];
        const other = awaited === noPiece ? ["", "", "", ""]
          : [waitCauses[this.cause[piece]],
            ...this.patches.subarray(3 * this.patch[awaited], 3 * this.patch[awaited] + 3)];
        rows.push([lane, this.begin[piece], this.length[piece], this.stepOf(piece), level, i, j,
          this.blockOf(piece) ?? "", pieceKinds[this.kindOf(piece)], this.numberOf(piece), this.steals[piece], ...other]);
      }
    }
    return rows;
  }
}
