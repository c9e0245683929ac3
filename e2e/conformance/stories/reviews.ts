import { post, type Step, type Story, story } from "../story.ts";

const group = "/apis/authorization.k8s.io/v1";
const asked = { verb: "get", resource: "pods" };

const ofSelf = (more: object): Step =>
  post(`${group}/selfsubjectaccessreviews`, { spec: { resourceAttributes: asked }, ...more });
const ofSubject = (more: object): Step =>
  post(`${group}/subjectaccessreviews`, { spec: { user: "jane", resourceAttributes: asked }, ...more });
const local = (spec: object, more: object = {}): Step =>
  post(`${group}/namespaces/{ns}/localsubjectaccessreviews`, { spec: { user: "jane", ...spec }, ...more });
const here = { resourceAttributes: { ...asked, namespace: "{ns}" } };

const metadata: readonly object[] = [
  { name: "x" },
  { labels: { b: "1", a: '"<' }, annotations: { a: "b" }, generation: 3 },
  { resourceVersion: "1" },
  { uid: "x", creationTimestamp: "2026-01-01T00:00:00Z", annotations: {} },
  { ownerReferences: [{ uid: "x", name: "a", kind: "Pod", apiVersion: "v1", controller: true }] },
  { managedFields: [{ manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" }] },
];

export const reviews: readonly Story[] = [
  story(
    "reviews of access with metadata",
    metadata.flatMap((each) => [
      ofSelf({ metadata: each }),
      ofSubject({ metadata: each }),
      local(here, { metadata: each }),
    ]),
  ),
  story("reviews of access with selectors", [
    ...[
      { requirements: [{ key: "a b", values: ["x"] }] },
      { requirements: [{ key: "a", operator: "In", values: ["x"] }] },
      { requirements: [{ key: "a", operator: "NotIn", values: ["x", "y"] }] },
      { requirements: [{ key: "a", operator: "Exists" }] },
      { rawSelector: "a=b,x" },
      { rawSelector: "a!=b" },
    ].map((fieldSelector) => ofSelf({ spec: { resourceAttributes: { ...asked, fieldSelector } } })),
    ...[
      { requirements: [{ key: "a", operator: "Nope", values: ["x"] }] },
      { requirements: [{ key: "a", operator: "Exists" }] },
      { rawSelector: "a in (" },
      { rawSelector: "a notin (b),!c" },
    ].map((labelSelector) => ofSelf({ spec: { resourceAttributes: { ...asked, labelSelector } } })),
    ofSubject({
      spec: {
        user: "u",
        resourceAttributes: {
          ...asked,
          fieldSelector: { rawSelector: "a" },
          labelSelector: { rawSelector: "(" },
        },
      },
    }),
  ]),
  story("reviews of access in a namespace", [
    local(here),
    local({ resourceAttributes: { ...asked, namespace: "other" } }),
    local({ resourceAttributes: asked }),
    local({ nonResourceAttributes: { path: "/healthz", verb: "get" } }),
    local({ ...here, nonResourceAttributes: { path: "/healthz" } }),
    local({}),
    local({ ...here, user: "" }, { metadata: { name: "x" } }),
    local(here, { metadata: { namespace: "{ns}" } }),
    local(here, { metadata: { namespace: "other" } }),
    local({ resourceAttributes: { ...asked, namespace: "other" } }, { metadata: { namespace: "other" } }),
  ]),
];
