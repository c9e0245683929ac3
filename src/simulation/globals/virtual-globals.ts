import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import timers from "node:timers";
import { refuseOutside } from "./refusals.ts";
import { Replacements } from "./replace.ts";
import { environment } from "./environment.ts";
import { drawn, virtualCrypto, virtualWebCrypto } from "./virtual-crypto.ts";
import { virtualFetch } from "./virtual-fetch.ts";
import { virtualDate } from "./virtual-date.ts";
import { schedulers, sleepers, virtualTimeout } from "./virtual-sleep.ts";
import { virtualClear, virtualClearImmediate, virtualImmediate, virtualTimer } from "./virtual-timers.ts";

let users = 0;
let replacements: Replacements | undefined;

/**
 * Runs a function while time, chance and the machine's name are those of the environment, in all code that `inside`
 * runs. Everything else sees the real ones.
 */
export async function withVirtualGlobals<R>(run: () => Promise<R>): Promise<R> {
  if (users++ === 0) replacements = replaceAll();
  try {
    return await run();
  } finally {
    if (--users === 0) {
      replacements?.undo();
      syncBuiltinESMExports();
    }
  }
}

type Emit = (event: string, ...args: unknown[]) => boolean;

/** Rejections that nobody handles in an environment are its own; no listener outside hears of them. */
function keepRejections(real: Emit): Emit {
  return function (this: unknown, event, ...args) {
    const onRejection = event === "unhandledRejection" ? environment()?.onRejection : undefined;
    if (!onRejection) return real.call(this, event, ...args);
    onRejection(args[0]);
    return true;
  };
}

function replaceAll(): Replacements {
  const all = new Replacements();
  all.set(globalThis, "Date", virtualDate);
  all.set(Math, "random", (real: () => number) => () => environment()?.random.next() ?? real());
  all.set(
    performance,
    "now",
    (real: () => number) => () => environment()?.clock.monotonic() ?? real.call(performance),
  );
  for (const table of [globalThis, timers]) {
    all.set(table, "setTimeout", (real: never) =>
      virtualTimer(real, { repeats: false }, sleepers.setTimeout),
    );
    all.set(table, "setInterval", (real: never) => virtualTimer(real, { repeats: true }));
    all.set(table, "setImmediate", (real: never) => virtualImmediate(real, sleepers.setImmediate));
    all.set(table, "clearTimeout", virtualClear);
    all.set(table, "clearInterval", virtualClear);
    all.set(table, "clearImmediate", virtualClearImmediate);
  }
  for (const [name, make] of Object.entries(sleepers)) all.set(timers.promises, name, make);
  for (const [name, make] of Object.entries(schedulers)) all.set(timers.promises.scheduler, name, make);
  all.set(globalThis, "fetch", virtualFetch);
  all.set(AbortSignal, "timeout", virtualTimeout);
  for (const [name, virtual] of Object.entries(virtualCrypto))
    all.set(crypto, name, (real: never) => drawn(real, virtual));
  for (const [name, virtual] of Object.entries(virtualWebCrypto))
    all.set(globalThis.crypto, name, (real: never) => drawn(real, virtual));
  all.set(os, "hostname", (real: () => string) => () => environment()?.who ?? real());
  all.set(process, "emit", keepRejections);
  refuseOutside(all);
  syncBuiltinESMExports();
  return all;
}
