import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import { TimeSlices } from "../clock/time-slices.ts";
import { loadConfig } from "../config/load-config.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import type { ClusterConfig } from "../http/config.ts";
import { createLogger } from "../log/create-logger.ts";
import { guardLogger } from "../log/guard-logger.ts";
import type { Logger } from "../log/logger.ts";
import { Measurements } from "../metrics/measurements.ts";
import type { ManagerOptions } from "./manager-options.ts";

/** What all parts of a manager share. */
export interface Base {
  readonly name: string;
  readonly clock: Clock;
  readonly slices: TimeSlices;
  readonly config: () => Promise<ClusterConfig>;
  readonly measurements: Measurements;
  readonly log: Logger;
}

export function makeBase({ name, clock = systemClock, config, logger }: ManagerOptions): Base {
  // It becomes the field manager, which the API server validates on every apply.
  if (!/^[\x20-\x7e]{1,128}$/.test(name))
    throw new TerminalError(`a manager's name is 1 to 128 characters of ASCII, not "${name}"`);
  const measurements = new Measurements();
  const log = guardLogger(logger ?? createLogger({ clock }), () => measurements.callbackFailed("logger"));
  return {
    name,
    clock,
    slices: new TimeSlices(clock),
    config: loadOnce(config ?? (() => loadConfig())),
    measurements,
    log,
  };
}

/** The config of a cluster is loaded once for all clients; one that could not be loaded is tried again. */
export function loadOnce(
  config: ClusterConfig | (() => Promise<ClusterConfig>),
): () => Promise<ClusterConfig> {
  let found: Promise<ClusterConfig> | undefined;
  return () => {
    if (found) return found;
    const loading = typeof config === "function" ? config() : Promise.resolve(config);
    loading.catch(() => (found = undefined));
    found = loading;
    return loading;
  };
}
