/** Code of a simulated process reached for something that a simulation can't own, and so can't repeat. */
export class OutsideError extends Error {
  override readonly name = "OutsideError";
  readonly code = "ERR_OUTSIDE_SIMULATION";

  constructor(what: string, instead: string) {
    super(`${what} is outside of the simulation, which could not repeat it: ${instead}`);
  }
}
