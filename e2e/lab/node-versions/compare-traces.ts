/**
 * Runs each seed twice on this Node and on those that the arguments name, in a process for each time, and says whether
 * all traces are equal, or which is the first seed with another one. `npm run lab -- traces 1000 PATH-TO-NODE...`
 */
import { hashesOn } from "./hashes-on.ts";

const [count = "100", ...others] = process.argv.slice(2);
const seeds = Number(count);
const first = await hashesOn(process.execPath, seeds);
let isEqual = first.length === seeds;
for (const node of [process.execPath, ...others.flatMap((other) => [other, other])]) {
  const hashes = await hashesOn(node, seeds);
  const different = first.findIndex((hash, seed) => hash !== hashes[seed]);
  console.log(
    `${node}: ${different === -1 ? `${seeds} equal traces` : `seed ${different} has another trace`}`,
  );
  isEqual &&= different === -1;
}
if (!isEqual) process.exitCode = 1;
