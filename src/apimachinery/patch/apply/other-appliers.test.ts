import type { JSONObject } from "../../json/index.ts";
import { beforeEach, describe, expect, it } from "vitest";
import {
  app,
  apply,
  beginAnew,
  conflictOf,
  live,
  main,
  managers,
  schema,
  store,
  update,
} from "../testdata/applied-app.ts";
import type { Endpoint } from "./index.ts";

beforeEach(beginAnew);

describe("serverSideApply() by kubectl", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";

  it("takes over the fields of kubectl's client-side apply, and updates the annotation", async () => {
    const sent = app({ spec: { replicas: 1 } });
    const annotations = { [annotation]: JSON.stringify(sent) };
    await update("kubectl-client-side-apply", { metadata: { annotations }, spec: { replicas: 1 } });
    await apply("kubectl", { spec: { replicas: 2 } });
    const stored = (live!["metadata"] as JSONObject)["annotations"] as Record<string, string>;
    expect(JSON.parse(stored[annotation]!)).toMatchObject({ spec: { replicas: 2 } });
  });

  it("still conflicts with later changes of others", async () => {
    const annotations = { [annotation]: JSON.stringify(app({ spec: { replicas: 1 } })) };
    await update("kubectl-client-side-apply", { metadata: { annotations }, spec: { replicas: 1 } });
    await update("autoscaler", { spec: { replicas: 5 } });
    expect((await conflictOf(apply("kubectl", { spec: { replicas: 2 } }))).message).toContain("autoscaler");
  });
});

describe("serverSideApply() across versions", () => {
  /** v2 has another name for `replicas`. */
  const versioned: Endpoint = {
    ...main,
    schemaOf: (apiVersion) =>
      apiVersion === "a.io/v1"
        ? schema
        : {
            ...schema,
            properties: {
              ...schema.properties,
              spec: { type: "object", properties: { count: { type: "integer" } } },
            },
          },
    convert(object, apiVersion) {
      if (apiVersion === "a.io/v0") return undefined;
      if (object["apiVersion"] === apiVersion) return object;
      const spec = { ...(object["spec"] as JSONObject | undefined) };
      const from = apiVersion === "a.io/v2" ? "replicas" : "count";
      const to = apiVersion === "a.io/v2" ? "count" : "replicas";
      const { [from]: value, ...rest } = spec;
      return { ...object, apiVersion, spec: value === undefined ? rest : { ...rest, [to]: value } };
    },
  };
  const second: Endpoint = { ...versioned, apiVersion: "a.io/v2" };

  it("reports the conflict in the version of the other manager", async () => {
    await apply("A", { spec: { replicas: 1 } }, { endpoint: versioned });
    store(await versioned.convert!(live!, "a.io/v2"));
    const conflict = await conflictOf(
      apply("B", { apiVersion: "a.io/v2", spec: { count: 2 } }, { endpoint: second }),
    );
    expect(conflict.causes[0]?.field).toBe(".spec.replicas");
  });

  it("removes fields that are no longer applied in another version", async () => {
    await apply("A", { spec: { replicas: 1 } }, { endpoint: versioned });
    store(await versioned.convert!(live!, "a.io/v2"));
    await apply(
      "A",
      { apiVersion: "a.io/v2", metadata: { name: "it", labels: { a: "1" } } },
      { endpoint: second },
    );
    expect(live).not.toHaveProperty("spec.count");
    expect(managers()).toMatchObject([{ manager: "A", apiVersion: "a.io/v2" }]);
  });

  it("drops managers of unknown versions", async () => {
    await update("U", { spec: { replicas: 1 } });
    const entries = managers().map((entry) => ({ ...entry, apiVersion: "a.io/v0" }));
    (live!["metadata"] as JSONObject)["managedFields"] = entries as unknown as JSONObject[];
    await apply("B", { spec: { replicas: 2 } }, { endpoint: versioned });
    expect(managers().map(({ manager }) => manager)).toEqual(["B"]);
  });
});
