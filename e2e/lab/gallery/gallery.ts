import { parseArgs } from "node:util";
import { seedsPerPlan } from "../../../src/simulation/explore/explore.ts";
import { exhibits } from "./exhibits.ts";
import { hunt } from "./hunt.ts";

// npm run lab -- gallery [--seeds 2000] [--from PLAN] [--only PATTERN] [--version wrong|right] [--story]
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    from: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    version: { type: "string" },
    story: { type: "boolean", default: false },
  },
});
const versions = (["wrong", "right"] as const).filter(
  (version) => values.version === undefined || values.version === version,
);

const chosen = exhibits.filter(({ mistake }) => new RegExp(values.only).test(mistake));
if (chosen.length === 0) throw new Error(`no exhibit matches ${values.only}`);

let surprises = 0;
for (const exhibit of chosen) {
  for (const version of versions) {
    const started = process.cpuUsage();
    const plans = Math.ceil(Number(values.seeds) / seedsPerPlan);
    const failure = await hunt(exhibit, version, { from: Number(values.from), plans, seeds: seedsPerPlan });
    const { user, system } = process.cpuUsage(started);
    const isExpected = failure
      ? version === "wrong" && exhibit.classes.includes(failure.verdict.class)
      : version === "right";
    if (!isExpected) surprises++;
    const found = failure
      ? `${failure.verdict.class} at seed ${failure.seed}: ${failure.verdict.message}`
      : "nothing";
    const seconds = ((user + system) / 1e6).toFixed(1);
    console.log(
      `${isExpected ? "ok " : "NOT"} ${version} ${exhibit.mistake}: ${found} (${seconds} s of a core)`,
    );
    if (failure && values.story) console.log(`${failure.story}\n`);
  }
}
process.exitCode = surprises === 0 ? 0 : 1;
