import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compareCase, type ComparedCase } from "./compare.ts";
import { customCase, serveTogether } from "./custom-resources.ts";
import { forgetVerdicts, judge, namespacesOf, readVerdicts } from "./judge.ts";
import { Player } from "./play.ts";
import { record, recordFile, type RecordedCase } from "./record.ts";
import { reportOf } from "./report.ts";
import { type CaseRequest, type Inexpressible, requestOf } from "./requests.ts";

/**
 * `npm run lab -- cases [--record] [--again] [--kind KIND] [--show CLASS]`: the cases of Kubernetes' own tests, tried on the embedded
 * server. Makes the record and kube-apiserver's verdicts if they are not in the cache; `--again` asks for all verdicts, or for those of a kind.
 */
const { values } = parseArgs({
  options: {
    record: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    kind: { type: "string" },
    show: { type: "string" },
    classes: { type: "string", default: "40" },
  },
});

if (values.record || !existsSync(recordFile())) record();
const recorded = readFileSync(recordFile(), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as RecordedCase);
const ofSchemas = recorded.flatMap(customCase);
const all = [
  ...recorded.filter(({ schema }) => !schema).map(requestOf),
  ...ofSchemas.map(({ creation }) => creation),
];
const left = all.filter((each): each is Inexpressible => "reason" in each);
const requests = new Map(all.flatMap((each) => ("id" in each ? [[each.id, each] as const] : [])));
if (values.again) forgetVerdicts(values.kind);
await judge([...requests.values()]);
const { crds, values: ofValues } = serveTogether(ofSchemas, readVerdicts());
for (const each of ofValues) requests.set(each.id, each);
await judge([...requests.values()], crds);

const judged = readVerdicts().filter(
  ({ request }) => values.kind === undefined || request.kind === values.kind,
);
const player = await Player.start(namespacesOf(judged.map(({ request }): CaseRequest => request)), crds);
const compared: ComparedCase[] = [];
for (const each of judged) compared.push(compareCase(each, await player.play(each)));
await player.stop();

if (values.show !== undefined) {
  const shown = compared.filter((each) => each.difference?.name.includes(values.show!));
  for (const {
    judged: { request, answer, stored },
    played,
    difference,
  } of shown.slice(0, 3)) {
    console.log(
      JSON.stringify({ difference, request, stored, real: answer, embedded: played.answer }, undefined, 1),
    );
    for (const error of played.unforeseen) console.log((error as Error).cause ?? error);
  }
}
const errors = compared.flatMap(({ played, judged: { request } }) =>
  played.unforeseen.map((error) => [request, error] as const),
);
for (const [{ at, id }, error] of errors) console.log(at, id, (error as Error).cause ?? error);
console.log(
  reportOf({
    recorded: recorded.length,
    left,
    compared,
    asked: requests.size,
    classes: Number(values.classes),
  }),
);
