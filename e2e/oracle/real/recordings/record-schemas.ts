import { writeFileSync } from "node:fs";
import { cases } from "../../../../src/apimachinery/schema/testdata/cases.ts";
import { formatLines } from "../../../support/format-lines.ts";
import { call, digest, group, install } from "./real-server.ts";

/**
 * Records what a real API server answers to the cases: run with its address and a token of an administrator.
 * `node --conditions=@tsbuilder/source --import tsx e2e/oracle/real/recordings/record-schemas.ts https://127.0.0.1:16443 tok`
 */
const recorded: Record<string, unknown> = {};
for (const [index, { name, spec, creates = [], updates = [] }] of cases.entries()) {
  const plural = `case${index}s`;
  const kind = `Case${index}s`;
  const path = `/apis/${group}/v1/${plural}`;
  const object = (value: unknown, extra: object = {}): object => ({
    apiVersion: `${group}/v1`,
    kind,
    metadata: { name: "x", ...extra },
    ...(value === undefined ? {} : { spec: value }),
  });
  await install(plural, spec);
  const created: object[] = [];
  for (const value of creates) created.push(digest(await call("POST", `${path}?dryRun=All`, object(value))));
  const updated: object[] = [];
  for (const { before, after } of updates) {
    await install(plural, { type: "object", "x-kubernetes-preserve-unknown-fields": true });
    const { body } = await call("POST", path, object(before));
    await install(plural, spec);
    const resourceVersion = (body["metadata"] as Record<string, unknown>)["resourceVersion"];
    updated.push(digest(await call("PUT", `${path}/x?dryRun=All`, object(after, { resourceVersion }))));
    await call("DELETE", `${path}/x`);
  }
  recorded[name] = { creates: created, updates: updated };
  await call("DELETE", `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`);
}
writeFileSync(
  new URL("../../../../src/apimachinery/schema/testdata/recorded.json", import.meta.url),
  formatLines(recorded, 3),
);
