// Gives each parser that strangers' bytes reach inputs that make more and more of its code run, and looks whether it
// rejects them in its own words, in time, and gives the same for the same. `targets.ts` says what a parser must hold.

import { fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../../support/source-imports.ts";
import { Coverage } from "./coverage.ts";
import { Dice, mutate } from "./mutate.ts";

/** The order that a fuzzing process gets, and its report. */
interface Order {
  readonly name: string;
  readonly seed: number;
  /** Seconds of processor time: an hour is as much work on a busy machine as on a quiet one. */
  readonly seconds: number;
  /** How many inputs are tried at most: the same ones with the same seed, however fast the machine is. */
  readonly inputs: number;
  /** The file with the input that is being tried: its number, its length, then its bytes. */
  readonly current: string;
}
interface Finding {
  readonly problem: string;
  /** In base64. */
  readonly input: string;
}
interface Report {
  readonly tried: number;
  readonly kept: number;
  readonly covered: number;
  readonly seconds: number;
  readonly findings: readonly Finding[];
}

/** An input that takes more milliseconds than this is a finding: the largest has four thousand bytes. */
const slow = 1000;
/** An input that doesn't end at all is found by the process that started this one. */
const hung = 60_000;

const folder = join(repository, "dist/fuzz");
if (process.send) process.send(await fuzz(JSON.parse(process.argv[2]!) as Order), () => process.disconnect());
else process.exitCode = await main();

async function main(): Promise<number> {
  const { targets } = await import("./targets.ts");
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      time: { type: "string", default: "600" },
      inputs: { type: "string" },
      seed: { type: "string" },
    },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(targets);
  const unknown = names.filter((name) => !Object.hasOwn(targets, name));
  const [time, seed] = [Number(values.time), Number(values.seed ?? randomInt(2 ** 31))];
  // JSON has no Infinity.
  const inputs = Number(values.inputs ?? Number.MAX_SAFE_INTEGER);
  const seconds = values.inputs === undefined ? time / names.length : Number.MAX_SAFE_INTEGER;
  if (unknown.length > 0 || !(time > 0) || !(inputs > 0) || !Number.isInteger(seed)) {
    console.error(
      `usage: npm run lab -- fuzz [--time SECONDS | --inputs N] [--seed N] [${Object.keys(targets).join("|")}]…`,
    );
    return 2;
  }
  let found = 0;
  for (const name of names) found += await fuzzInProcess({ name, seed, seconds, inputs });
  console.log(`seed ${seed}: ${names.length - found} parsers passed, ${found} failed`);
  return found === 0 ? 0 : 1;
}

/** Returns 1 if something was found. */
async function fuzzInProcess(order: Omit<Order, "current">): Promise<number> {
  const { name, seed } = order;
  mkdirSync(folder, { recursive: true });
  const current = join(folder, `${name}-current`);
  writeFileSync(current, Buffer.alloc(8));
  const child = fork(import.meta.filename, [JSON.stringify({ ...order, current } satisfies Order)]);
  let before = 0;
  const watch = setInterval(() => {
    const file = readFileSync(current);
    const tried = file.readUInt32LE(0);
    if (tried === before && tried > 0) child.emit("hung", tried, file.subarray(8, 8 + file.readUInt32LE(4)));
    before = tried;
  }, hung);
  const { tried, kept, covered, seconds, findings } = await Promise.race([
    once(child, "message").then(([report]) => report as Report),
    once(child, "hung").then(([tried, input]): Report => {
      const findings = [{ problem: "it never ends", input: (input as Buffer).toString("base64") }];
      return { tried: tried as number, kept: 0, covered: 0, seconds: 0, findings };
    }),
    once(child, "exit").then((): Report => {
      const file = readFileSync(current);
      const input = file.toString("base64", 8, 8 + file.readUInt32LE(4));
      const findings = [{ problem: "the process ended", input }];
      return { tried: file.readUInt32LE(0), kept: 0, covered: 0, seconds: 0, findings };
    }),
  ]);
  clearInterval(watch);
  child.kill("SIGKILL");
  console.log(
    `${name}: ${tried} inputs, ${kept} kept, ${covered} characters of code ran, ${seconds} s of processor time`,
  );
  for (const [at, { problem, input }] of findings.entries()) {
    const file = join(folder, `${name}-${seed}-${at}`);
    const bytes = Buffer.from(input, "base64");
    writeFileSync(file, bytes);
    console.log(
      `FOUND in ${name}: ${problem}\n  input in ${file}: ${JSON.stringify(bytes.toString().slice(0, 300))}`,
    );
  }
  return findings.length > 0 ? 1 : 0;
}

async function fuzz({ name, seed, seconds, inputs, current }: Order): Promise<Report> {
  // V8 tells blocks apart only in functions that it compiles from now on.
  const coverage = await Coverage.start();
  const { targets } = await import("./targets.ts");
  const { seeds, words, code, check } = targets[name]!;
  const dice = new Dice(seed);
  const file = openSync(current, "r+");
  const head = Buffer.alloc(8);
  const findings = new Map<string, Finding>();
  let tried = 0;
  const attempt = async (input: Buffer): Promise<void> => {
    head.writeUInt32LE(++tried, 0);
    head.writeUInt32LE(input.length, 4);
    writeSync(file, head, 0, 8, 0);
    writeSync(file, input, 0, input.length, 8);
    const before = process.cpuUsage();
    let problem = await problemOf(() => check(input, dice));
    // A garbage collection is slow once, a parser twice.
    if (problem === undefined && cpuSince(before) > slow) {
      const again = process.cpuUsage();
      await problemOf(() => check(input, dice));
      const took = cpuSince(again);
      if (took > slow) problem = `it takes ${took.toFixed(0)} ms`;
    }
    // The same place once: its first line, without the input that it quotes.
    const key = problem?.replaceAll(/["'\d].*/gsu, "");
    if (key !== undefined && !findings.has(key) && findings.size < 10)
      findings.set(key, { problem: problem!, input: input.toString("base64") });
  };
  const kept: Buffer[] = seeds.map((input) => Buffer.from(input));
  for (const input of kept) await attempt(input);
  await coverage.take(code, { note: true });
  /** Keeps those inputs of a batch that run new code, by halves: a look at the coverage takes longer than many inputs. */
  const keepNew = async (batch: readonly Buffer[]): Promise<void> => {
    for (const input of batch) await attempt(input);
    const isOne = batch.length === 1;
    if ((await coverage.take(code, { note: isOne })) === 0) return;
    if (isOne) return void kept.push(batch[0]!);
    const half = batch.length >> 1;
    await keepNew(batch.slice(0, half));
    await keepNew(batch.slice(half));
  };
  const start = process.cpuUsage();
  const isOver = (): boolean => tried >= inputs || cpuSince(start) >= seconds * 1000;
  while (!isOver()) {
    const batch = Array.from({ length: 1 + dice.below(30) }, () =>
      mutate(dice.oneOf(kept), dice.oneOf(kept), words, dice),
    );
    await keepNew(batch);
  }
  return {
    tried,
    kept: kept.length,
    covered: coverage.size,
    seconds: Math.round(cpuSince({ user: 0, system: 0 }) / 1000),
    findings: [...findings.values()],
  };
}

/** Milliseconds of processor time, which a busy machine doesn't stretch. */
function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A complaint of a check, or an error of the engine that a parser let through. */
async function problemOf(check: () => unknown): Promise<string | undefined> {
  try {
    const problem = await check();
    if (Object.keys(Object.prototype).length > 0) return "the prototype of all objects changed";
    return typeof problem === "string" ? problem : undefined;
  } catch (error) {
    return error instanceof Error ? error.stack : `it threw ${String(error)}`;
  }
}
