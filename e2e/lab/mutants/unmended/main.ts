import { parseArgs } from "node:util";
import { exploreWithout, type Found } from "./explore-without.ts";
import { unmended } from "./unmended.ts";

// npm run lab -- unmended [--seeds 20] [--only R4]
const { values } = parseArgs({
  options: { seeds: { type: "string", default: "20" }, only: { type: "string", default: "" } },
});
const seeds = Number(values.seeds);
const textOf = ({ class: name, seed }: Found): string =>
  seed === undefined ? name : `${name}, seed ${seed}`;

console.log("| finding | without the mend | with it | |\n| --- | --- | --- | --- |");
for (const { finding, defect, edits, scenario, classes, mended = "nothing" } of unmended) {
  if (!finding.includes(values.only)) continue;
  const [without, present] = [
    await exploreWithout(edits, scenario, seeds),
    await exploreWithout([], scenario, seeds),
  ];
  const isAsExpected = classes.includes(without.class) && present.class === mended;
  console.log(
    `| ${finding} | ${textOf(without)} | ${textOf(present)} | ${isAsExpected ? "" : "**NOT AS EXPECTED**: "}${defect} |`,
  );
  if (!isAsExpected) {
    console.log(JSON.stringify({ without, present }));
    process.exitCode = 1;
  }
}
