import process from "node:process";
import { isProgrammingError } from "../controller/outcome.ts";
import type { LeveledLogger } from "../log/create-logger.ts";
import type { Logger } from "../log/logger.ts";
import { readMemoryLimits, warnOfLooseHeap } from "./memory-limits.ts";

/**
 * Runs a manager that owns its process. The first SIGINT or SIGTERM stops it and the second exits at once, as users and
 * the kubelet expect. A failure is logged and exits with 1.
 */
export async function runAsProcess(
  log: Logger | LeveledLogger,
  manager: { run(): Promise<void>; stop(): void },
): Promise<void> {
  let isStopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info("Received a signal, stopping", { signal });
    manager.stop();
  };
  const onVerbosity = () => {
    if (!("level" in log)) return;
    log.level = log.level === "debug" ? "info" : "debug";
    log.info("Changed the log level", { to: log.level });
  };
  // A missing await in one reconcile must not end all the others.
  const onRejection = (error: unknown) =>
    log.error("Unhandled promise rejection: an await is missing", {
      error,
      isProgrammingError: isProgrammingError(error),
    });
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGUSR2", onVerbosity);
  process.on("unhandledRejection", onRejection);
  warnOfLooseHeap(readMemoryLimits(), log);
  try {
    await manager.run();
  } catch (error) {
    log.error("The manager failed", { error });
    process.exit(1);
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGUSR2", onVerbosity);
    process.off("unhandledRejection", onRejection);
  }
}
