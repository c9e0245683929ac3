import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { customKind } from "../differential/most-used-kinds.ts";
import { cacheFolder } from "../real/build-kubernetes.ts";
import type { JudgedCase } from "./judge.ts";
import type { RecordedCase, RecordedObject } from "./record.ts";
import { type CaseRequest, withId } from "./requests.ts";

/** A CRD that serves the values of several cases, each as a field of its own. */
export interface CustomResourceDefinition extends RecordedObject {
  readonly spec: { readonly group: string; readonly [field: string]: unknown };
}

/** A schema with rules, and a value of it: the schema is tried by a CRD's creation, and the value, if that is accepted, by its own. */
export interface CustomCase {
  readonly recorded: RecordedCase;
  readonly creation: CaseRequest;
}

export const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The path of a CRD's custom resources. */
export function resourcePath({ spec }: CustomResourceDefinition): string {
  return `/apis/${spec.group}/v1/namespaces/default/foos`;
}

function crdOf(group: string, properties: Readonly<Record<string, object>>): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `foos.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "foos", kind: customKind },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}

/** Returns the case of a custom resource; none, if the recorded one is of a built-in kind. */
export function customCase(recorded: RecordedCase): CustomCase[] {
  const { schema, function: name, at, problem } = recorded;
  if (!schema || problem !== undefined) return [];
  const body = crdOf("cases.example.com", { value: schema });
  const common = { kind: body.kind, function: name, at, valid: undefined };
  return [{ recorded, creation: withId({ ...common, method: "POST", path: `${crdPath}?dryRun=All`, body }) }];
}

// The rules of a CRD may cost ten times as much as a single one.
const most = 10;

const file = (): string => join(cacheFolder("cases"), "custom-resources.json");

/** The CRDs of the last run. */
export function readCustomResources(): CustomResourceDefinition[] {
  return existsSync(file()) ? (JSON.parse(readFileSync(file(), "utf8")) as CustomResourceDefinition[]) : [];
}

/** Returns CRDs with the schemas that the real server accepts, several in one, and a request for each value. */
export function serveTogether(cases: readonly CustomCase[], verdicts: readonly JudgedCase[]) {
  const accepted = new Set(
    verdicts.filter(({ answer }) => answer.code === 201).map(({ request }) => request.id),
  );
  const schemas = new Map<string, object>();
  for (const { creation, recorded } of cases)
    if (accepted.has(creation.id)) schemas.set(creation.id, recorded.schema!);
  const ids = [...schemas.keys()];
  const crds: CustomResourceDefinition[] = [];
  for (let from = 0; from < ids.length; from += most) {
    const properties = ids.slice(from, from + most).map((id, index) => [`v${index}`, schemas.get(id)!]);
    crds.push(crdOf(`cases${crds.length}.example.com`, Object.fromEntries(properties)));
  }
  writeFileSync(file(), JSON.stringify(crds));
  const values = cases.flatMap(({ creation, recorded }) => {
    const at = ids.indexOf(creation.id);
    return at < 0 ? [] : [valueRequest(recorded, crds[Math.floor(at / most)]!, `v${at % most}`)];
  });
  return { crds, values };
}

function valueRequest(recorded: RecordedCase, crd: CustomResourceDefinition, field: string): CaseRequest {
  const { group } = crd.spec;
  const metadata = { name: "a", namespace: "default" };
  const apiVersion = `${group}/v1`;
  const object = (value: unknown): RecordedObject => ({
    apiVersion,
    kind: customKind,
    metadata,
    [field]: value,
  });
  const { function: name, at, judged, errors, value, oldValue } = recorded;
  const valid = judged ? !errors : undefined;
  const common = { kind: customKind, function: name, at, valid, body: object(value) };
  const path = resourcePath(crd);
  if (oldValue === undefined) return withId({ ...common, method: "POST", path: `${path}?dryRun=All` });
  const stored = { uid: "8f4c2b1e-0d3a-4c57-9b52-6a1f0e7d9c48", creationTimestamp: "2026-01-01T00:00:00Z" };
  const before = { ...object(oldValue), metadata: { ...metadata, ...stored } };
  const old = { key: `/registry/${group}/foos/default/a`, object: before };
  return withId({ ...common, method: "PUT", path: `${path}/a?dryRun=All`, old });
}
