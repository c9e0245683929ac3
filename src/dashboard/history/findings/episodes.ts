/** Something that happened again and again. */
export interface Episode<Detail> {
  readonly key: string;
  count: number;
  readonly from: number;
  at: number;
  readonly detail: Detail;
}

interface Limits {
  /** How often it must happen to be told. */
  readonly least: number;
  /** After so many milliseconds without, it is over; what happens later begins anew. */
  readonly pause?: number;
}

/** Counts by keys what happens again and again. */
export class Episodes<Detail> {
  readonly #least: number;
  readonly #pause: number;
  readonly #running = new Map<string, Episode<Detail>>();
  readonly #told: Episode<Detail>[] = [];

  constructor({ least, pause = Infinity }: Limits) {
    this.#least = least;
    this.#pause = pause;
  }

  /** It happened; the first time of an episode makes its detail. */
  hit(key: string, at: number, begin: () => Detail): Detail {
    let episode = this.#running.get(key);
    if (episode === undefined || at - episode.at > this.#pause) {
      episode = { key, count: 0, from: at, at, detail: begin() };
      this.#running.set(key, episode);
    }
    episode.at = Math.max(episode.at, at);
    if (++episode.count === this.#least) this.#told.push(episode);
    return episode.detail;
  }

  /** What happens later begins anew. */
  end(key: string): void {
    this.#running.delete(key);
  }

  detailOf(key: string): Detail | undefined {
    return this.#running.get(key)?.detail;
  }

  /** Those that happened often enough, which may be over. */
  get told(): readonly Readonly<Episode<Detail>>[] {
    return this.#told;
  }
}
