import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { FakeClock } from "@tsbuilder/apimachinery/time";
import { createLogger, Manager } from "@tsbuilder/runtime";
import { type Setup, startTestManager } from "@tsbuilder/runtime/testing";
import { optionsFromArgs } from "../../../src/runtime/manager/manager-args.ts";
import {
  type InstalledOperator,
  installPermissions,
  type LogLine,
  metricOf,
  type OperatorPlace,
  operatorConfig,
  refusedIn,
  type RunningOperator,
} from "./operator-process.ts";
import type { PassingTime } from "./passing-time.ts";

/** Operators in the test's own process. */
export interface InProcess {
  readonly clock: FakeClock;
  readonly time: PassingTime;
  /** The functions that the project's main calls. */
  readonly setups: readonly Setup[];
}

/** Installs an operator that runs in the test's process, with the token and flags that it has as a separate process. */
export async function installInProcess(
  place: OperatorPlace,
  { clock, time, setups }: InProcess,
): Promise<InstalledOperator> {
  const { kubeconfig, folder, project } = place;
  const name = basename(project);
  const token = await installPermissions(place);
  await loadEverything(kubeconfig);
  return {
    async start({ server, flags = [] } = {}) {
      const config = join(folder, `${name}.kubeconfig`);
      writeFileSync(config, operatorConfig(kubeconfig, token, server));
      const lines: LogLine[] = [];
      const logger = createLogger({ clock, write: (line) => void lines.push(JSON.parse(line) as LogLine) });
      const argv = [
        `--kubeconfig=${config}`,
        "--health-probe-bind-address=0",
        "--enable-webhooks=false",
        "--metrics-bind-address=127.0.0.1:0",
        "--metrics-secure=false",
        ...flags,
      ];
      const leaderElectionId = `${name}.example.com`;
      const { options } = optionsFromArgs({ name, leaderElectionId, argv, env: {}, logger, clock });
      const manager = new Manager({ ...options, ownsProcess: false });
      for (const setup of setups) setup(manager);
      return runManager(manager, lines, time);
    },
  };
}

/**
 * Starts and stops a manager on the machine's clock: another process loads its imports for the test, and a clock that
 * the test moves would not wait for that.
 */
async function loadEverything(kubeconfig: string): Promise<void> {
  const manager = await startTestManager({
    kubeconfig,
    metrics: { bindAddress: "127.0.0.1:0" },
    logger: createLogger({ level: "error" }),
  });
  await manager.stop();
}

async function runManager(
  manager: Manager,
  lines: readonly LogLine[],
  time: PassingTime,
): Promise<RunningOperator> {
  const operator = { isRunning: true, code: 0 };
  const ended = manager
    .start()
    .catch((error: unknown) => {
      operator.code = 1;
      return error;
    })
    .finally(() => (operator.isRunning = false));
  let hasStarted = false;
  manager.started.then(
    () => (hasStarted = true),
    () => undefined,
  );
  const stop = async (): Promise<number> => {
    manager.stop();
    await time.eventually(() => !operator.isRunning);
    return operator.code;
  };
  try {
    await time.eventually(async () => {
      if (!operator.isRunning) throw await ended;
      return hasStarted;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    lines,
    watch: undefined,
    pid: process.pid,
    get isRunning() {
      return operator.isRunning;
    },
    refused: () => refusedIn(lines),
    metric: (name, labels) => metricOf(`http://${manager.addresses.metrics}/metrics`, name, labels),
    stop,
    kill: async () => void (await stop()),
  };
}
