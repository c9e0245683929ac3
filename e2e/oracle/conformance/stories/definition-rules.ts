import { type Step, type Story, story, post } from "../story.ts";
import type { Fields } from "./pod-cases.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schema = (spec: object): Fields => ({
  schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
});
const version = { name: "v1", served: true, storage: true, ...schema({ type: "object" }) };
const names = { plural: "things", kind: "Thing" };

/** A CRD that differs in some fields of its spec. */
function definitions(...list: readonly Fields[]): Step[] {
  return list.map((fields) =>
    post(crds, {
      metadata: { name: "things.{group}" },
      spec: { group: "{group}", scope: "Namespaced", names, versions: [version], ...fields },
    }),
  );
}

const dryRun = (step: Step): Step => ({ ...step, path: `${step.path}?dryRun=All` });

const one = (fields: Fields): Fields => ({ versions: [{ ...version, ...fields }] });
const two = (fields: Fields): Fields => ({
  versions: [version, { ...version, name: "v2", storage: false, ...fields }],
});
const column = (fields: object): Fields =>
  one({ additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a", ...fields }] });
const scale = (fields: object): Fields =>
  one({
    subresources: { scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n", ...fields } },
  });

const converted = (clientConfig: object, conversionReviewVersions = ["v1"]): Fields => ({
  conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions } },
});

/** CRDs that a real server rejects, and the field of each error. */
export const definitionRules: readonly Story[] = [
  story("names of CRDs", [
    ...definitions(
      { group: "" },
      { group: "nodots" },
      { scope: "" },
      { scope: "Everywhere" },
      { names: { plural: "things", kind: "thing_" } },
      { names: { plural: "things", kind: "Thing", listKind: "Thing" } },
      { names: { plural: "things", kind: "Thing", shortNames: ["A"], categories: ["B"] } },
      { names: { plural: "other", kind: "Thing" } },
      { versions: [] },
      { versions: [{ ...version, name: "V1" }] },
      { versions: [{ ...version, storage: false }] },
      { versions: [version, { ...version, storage: false }] },
      { conversion: { strategy: "Maybe" } },
      { conversion: { strategy: "Webhook" } },
      converted({ url: "https://a", service: { name: "a", namespace: "b" } }),
      converted({ url: "http://a?b=c#d" }),
      converted({ url: "https://user:secret@a/path" }),
      converted({ service: { name: "", namespace: "", port: 0, path: "a//B" } }),
      converted({ url: "https://a" }, ["v2", "v2"]),
      { preserveUnknownFields: true },
    ),
  ]),
  story("schemas of CRDs", [
    ...definitions(
      { versions: [{ name: "v1", served: true, storage: true }] },
      one(schema({})),
      one(schema({ type: "object", properties: { a: {} } })),
      one(schema({ type: "strange" })),
      one(schema({ type: "array" })),
      one(schema({ type: "string", pattern: "(" })),
      one(schema({ type: "string", default: 3 })),
      one(schema({ type: "object", "x-kubernetes-validations": [{ rule: "self.missing" }] })),
      one(schema({ type: "object", "x-kubernetes-validations": [{ rule: "" }] })),
      one(schema({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" })),
      one({ schema: { openAPIV3Schema: { type: "string" } } }),
      two(schema({})),
      two(schema({ type: "object", properties: { a: {} } })),
      one({ deprecationWarning: "old" }),
    ),
  ]),
  story("columns and scale of CRDs", [
    ...definitions(
      column({ name: "" }),
      column({ type: "" }),
      column({ type: "strange" }),
      column({ jsonPath: "" }),
      column({ jsonPath: "spec.a" }),
      column({ format: "strange" }),
      scale({ specReplicasPath: "" }),
      scale({ specReplicasPath: "spec.n" }),
      scale({ specReplicasPath: ".status.n" }),
      scale({ statusReplicasPath: ".spec.n" }),
      scale({ labelSelectorPath: ".metadata.x" }),
      two({ additionalPrinterColumns: [{ name: "A", type: "strange", jsonPath: ".a" }] }),
      two({ subresources: { scale: { specReplicasPath: ".a", statusReplicasPath: ".b" } } }),
    ),
  ]),
  story(
    "deprecations",
    definitions(
      one({ deprecationWarning: "" }),
      ...["", "x".repeat(257), "ä\n", "fine"].map((deprecationWarning) =>
        one({ deprecated: true, deprecationWarning }),
      ),
    ).map(dryRun),
  ),
  story(
    "unknown fields that are kept, beside defaults",
    definitions(
      { preserveUnknownFields: true },
      { preserveUnknownFields: true, ...one(schema({ type: "object", default: {} })) },
      { preserveUnknownFields: true, ...one({ schema: undefined }) },
    ).map(dryRun),
  ),
  story(
    "defaults that are there twice",
    definitions(
      one(
        schema({
          type: "array",
          "x-kubernetes-list-type": "set",
          items: { type: "string" },
          default: ["a", "a"],
        }),
      ),
    ).map(dryRun),
  ),
  story(
    "formats that are ignored",
    [
      ["string", "ip"],
      ["string", "binary"],
      ["string", "date-time"],
      ["string", "int-or-string"],
      ["integer", "int16"],
      ["number", "float"],
      ["boolean", "byte"],
    ].flatMap(([type, format]) =>
      definitions(one(schema({ type: "object", properties: { a: { type, format } } }))).map(dryRun),
    ),
  ),
  story(
    "groups of Kubernetes' projects",
    ["", "unapproved, a trial", "https://example.com/1", "/1", "approved"].flatMap((approval) =>
      ["k8s.io", "x.kubernetes.io", "x-k8s.io"].map((group) =>
        post(`${crds}?dryRun=All`, {
          metadata: { name: `things.${group}`, annotations: { "api-approved.kubernetes.io": approval } },
          spec: { group, scope: "Namespaced", names, versions: [version] },
        }),
      ),
    ),
  ),
];
