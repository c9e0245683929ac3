/** A service that runs from before the caches are filled until everything else has stopped. */
export interface Service {
  start(): Promise<void>;
  stop(deadline: AbortSignal): Promise<void>;
}
