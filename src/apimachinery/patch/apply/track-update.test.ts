import type { JSONObject } from "../../json/index.ts";
import { beforeEach, describe, expect, it } from "vitest";
import type { SchemaNode } from "../index.ts";
import {
  apply,
  beginAnew,
  fieldsOf,
  live,
  main,
  managers,
  now,
  schema,
  status,
  store,
  texts,
  update,
} from "../testdata/applied-app.ts";
import { trackUpdate } from "./index.ts";

beforeEach(beginAnew);

describe("trackUpdate()", () => {
  it("moves new and changed fields to the updater", async () => {
    await apply("A", { spec: { replicas: 1, selector: { a: "1" } } });
    await update("U", { spec: { replicas: 2, selector: { a: "1" } } });
    expect(fieldsOf("A")).toEqual({ "f:spec": { "f:selector": {} } });
    expect(fieldsOf("U")).toEqual({ "f:spec": { "f:replicas": {} } });
    await update("V", { spec: { selector: { a: "1" } } });
    expect(managers().map(({ manager }) => manager)).toEqual(["A"]);
  });

  it("records the structs of a create, but not those that every object of the kind has", async () => {
    await update("U", { spec: { replicas: 1 } });
    expect(fieldsOf("U")).toEqual({ "f:spec": { ".": {}, "f:replicas": {} } });
    store(undefined);
    await update("U", { spec: { replicas: 1 } }, { ...main, emptyObject: { metadata: {}, spec: {} } });
    expect(fieldsOf("U")).toEqual({ "f:spec": { "f:replicas": {} } });
  });

  it("distinguishes managers by operation, version and subresource", async () => {
    await update("M", { spec: { replicas: 1 } });
    await update("M", { spec: { replicas: 1 }, status: { ready: 1 } }, status);
    await apply("M", { metadata: { name: "it", labels: { a: "1" } } });
    expect(managers().map(({ operation, subresource }) => [operation, subresource ?? ""])).toEqual([
      ["Apply", ""],
      ["Update", ""],
      ["Update", "status"],
    ]);
  });

  it("keeps the stored managers if a client omits them or sends invalid ones", async () => {
    await update("U", { spec: { replicas: 1 } });
    const { managedFields: _, ...metadata } = live!["metadata"] as JSONObject;
    const time = now();
    for (const sent of [metadata, { ...metadata, managedFields: [{ manager: "x", fieldsV1: { bad: 1 } }] }]) {
      const next = await trackUpdate(main, { live, next: { ...live!, metadata: sent }, manager: "V", time });
      expect((next["metadata"] as JSONObject)["managedFields"]).toEqual(managers());
    }
  });

  it.each([[[{}]], [[]]])(
    "clears the managers when a client sends %j, until somebody applies",
    async (managedFields) => {
      await update("U", { spec: { replicas: 1 } });
      const metadata = { ...(live!["metadata"] as JSONObject), managedFields };
      store(await trackUpdate(main, { live, next: { ...live!, metadata }, manager: "V", time: now() }));
      expect(managers()).toEqual([]);
      await update("U", { spec: { replicas: 2 } });
      expect(managers()).toEqual([]);
      await apply("A", { spec: { replicas: 2 } });
      expect(managers().map(({ manager }) => manager)).toEqual(["A", "before-first-apply"]);
    },
  );

  it("merges the oldest updaters if there are more than ten", async () => {
    const labels: JSONObject = {};
    for (let index = 0; index < 12; index++) {
      labels[`l${index}`] = "x";
      await update(`U${index}`, { metadata: { labels: { ...labels } } });
    }
    const names = managers().map(({ manager }) => manager);
    expect(names).toHaveLength(10);
    expect(names[0]).toBe("ancient-changes");
    expect(fieldsOf("ancient-changes")).toEqual({
      "f:metadata": { "f:labels": { ".": {}, "f:l0": {}, "f:l1": {}, "f:l2": {} } },
    });
  });

  it("moves ownership to the parent when it becomes atomic", async () => {
    const granular: SchemaNode = {
      ...schema,
      properties: {
        ...schema.properties,
        spec: { type: "object", properties: { ...schema.properties!["spec"]!.properties, selector: texts } },
      },
    };
    await apply("A", { spec: { selector: { a: "1" } } }, { endpoint: { ...main, schemaOf: () => granular } });
    expect(fieldsOf("A")).toEqual({ "f:spec": { "f:selector": { "f:a": {} } } });
    await update("U", { spec: { selector: { a: "1" }, replicas: 1 } });
    expect(fieldsOf("A")).toEqual({ "f:spec": { "f:selector": {} } });
  });

  it("names a manager without a name unknown", async () => {
    await update("", { spec: { replicas: 1 } });
    expect(managers()[0]?.manager).toBe("unknown");
  });
});
