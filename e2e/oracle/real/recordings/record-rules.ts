import { writeFileSync } from "node:fs";
import { formatLines } from "../../../support/format-lines.ts";
import { type Answer, call, crd, group, install } from "./real-server.ts";
import { crdCases } from "../../../../src/apimachinery/cel/testdata/crd-cases.ts";
import { ruleCases } from "../../../../src/apimachinery/cel/testdata/object-cases.ts";

/** Records what a real API server says to schemas and to objects with rules; see `record-schemas.ts`. */
const testdata = new URL("../../../../src/apimachinery/cel/testdata/", import.meta.url);
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function causes({ status, body }: Answer): object {
  const details = body["details"] as { causes?: object[] } | undefined;
  return status < 300 ? { status } : { status, causes: details?.causes ?? [] };
}

const created: Record<string, object> = {};
for (const { name, spec, root, hasStatus } of crdCases) {
  const definition = crd("trials", spec ?? {});
  const version = definition.spec.versions[0]!;
  if (root) version["schema"] = { openAPIV3Schema: root };
  if (hasStatus) version["subresources"] = { status: {} };
  created[name] = causes(await call("POST", `${crds}?dryRun=All`, definition));
}
writeFileSync(new URL("crd-answers.json", testdata), formatLines(created, 1));

const validated: Record<string, object[]> = {};
for (const [index, { name, spec, writes }] of ruleCases.entries()) {
  const plural = `rule${index}s`;
  const path = `/apis/${group}/v1/${plural}`;
  const object = (value: unknown, extra: object = {}): object => ({
    apiVersion: `${group}/v1`,
    kind: `Rule${index}s`,
    metadata: { name: "x", ...extra },
    spec: value,
  });
  validated[name] = [];
  for (const { before, after } of writes) {
    if (before === undefined) {
      await install(plural, spec);
      validated[name].push(causes(await call("POST", `${path}?dryRun=All`, object(after))));
      continue;
    }
    await install(plural, { type: "object", "x-kubernetes-preserve-unknown-fields": true });
    const { body } = await call("POST", path, object(before));
    await install(plural, spec);
    const { resourceVersion } = body["metadata"] as { resourceVersion: string };
    validated[name].push(
      causes(await call("PUT", `${path}/x?dryRun=All`, object(after, { resourceVersion }))),
    );
    await call("DELETE", `${path}/x`);
  }
  await call("DELETE", `${crds}/${plural}.${group}`);
}
writeFileSync(new URL("object-answers.json", testdata), formatLines(validated, 2));
