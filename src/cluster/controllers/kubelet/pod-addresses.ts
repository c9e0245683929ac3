/** Gives out pod addresses, 10.244.0.1 and up, each once as long as it is in use. */
export class PodAddresses {
  #next = 1;

  /** The next address that is not among those in use. */
  take(inUse: ReadonlySet<string>): string {
    for (;;) {
      const address = format(this.#next);
      this.#next = (this.#next % lastHost) + 1;
      if (!inUse.has(address)) return address;
    }
  }
}

/** The number of hosts in 10.244.0.0/16, without its own and its broadcast address. */
const lastHost = 2 ** 16 - 2;

function format(host: number): string {
  return `10.244.${host >> 8}.${host & 255}`;
}
