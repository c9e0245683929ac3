import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { expect, test } from "vitest";
import { ownedFields } from "./owned-fields.ts";

const object = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "db", finalizers: ["ours", "theirs"], labels: { a: "1", b: "2" } },
  spec: {
    template: {
      containers: [
        { name: "proxy", image: "p" },
        { name: "db", image: "d", tty: true },
      ],
    },
    selector: { matchLabels: { a: "1" } },
    replicas: 2,
  },
};

test("fields, items of lists by key and by value, and whole values are those of their managers", () => {
  const fieldsV1 = {
    "f:metadata": { "f:finalizers": { ".": {}, 'v:"ours"': {} }, "f:labels": { "f:b": {} } },
    "f:spec": {
      "f:selector": {},
      "f:gone": {},
      "f:template": { "f:containers": { 'k:{"name":"db"}': { ".": {}, "f:image": {} } } },
    },
  };
  expect(ownedFields(object, [{ fieldsV1 }])).toEqual({
    metadata: { finalizers: ["ours"], labels: { b: "2" } },
    spec: { template: { containers: [{ name: "db", image: "d" }] }, selector: { matchLabels: { a: "1" } } },
  });
  const { metadata, spec } = ownedFields(object, [{ fieldsV1 }], "foreign") as unknown as typeof object;
  expect(metadata.finalizers).toEqual(["ours", "foreign"]);
  expect(spec.template.containers).toEqual(["foreign", { name: "db", image: "d" }]);
});

test("what several managers own is put together, in the order of the object", () => {
  const of = (fields: JSONObject) => ({ fieldsV1: { "f:spec": fields } });
  const first = of({
    "f:replicas": {},
    "f:template": { "f:containers": { 'k:{"name":"db"}': { "f:tty": {} } } },
  });
  const second = of({ "f:template": { "f:containers": { 'k:{"name":"db"}': { "f:image": {} } } } });
  expect(ownedFields(object, [first, second])).toEqual({
    spec: { template: { containers: [{ name: "db", image: "d", tty: true }] }, replicas: 2 },
  });
  const both = of({ "f:replicas": {}, "f:selector": {} });
  expect(Object.keys(ownedFields(object, [both])["spec"] as object)).toEqual(["selector", "replicas"]);
});

test("of what is only known to be there nothing is owned, and nothing without managers", () => {
  expect(ownedFields(object, [{ fieldsV1: { "f:metadata": { "f:labels": { ".": {} } } } }])).toEqual({
    metadata: {},
  });
  expect(ownedFields(object, [])).toEqual({});
  expect(ownedFields(object, [{}])).toEqual(object);
});
