import { expect, test } from "vitest";
import { contestedFields, foreignWriters } from "./field-managers.ts";

const object = (
  ...entries: readonly (readonly [manager: string, subresource: string, fields: object])[]
) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    managedFields: entries.map(([manager, subresource, fieldsV1], at) => ({
      manager,
      fieldsV1: fieldsV1 as never,
      time: `2026-01-01T00:00:0${at}Z`,
      ...(subresource !== "" && { subresource }),
    })),
  },
});

const made = { "f:metadata": { "f:ownerReferences": {} }, "f:spec": { "f:template": {} } };
const scaled = { "f:spec": { "f:replicas": {} } };

test("a field outside of the metadata that two managers own is contested", () => {
  const labelled = { "f:metadata": { "f:labels": { "f:a": {} } }, ...scaled };
  expect(contestedFields(object(["a", "", labelled], ["b", "", labelled]))).toEqual([
    { path: "spec.replicas", managers: ["b", "a"] },
  ]);
  expect(contestedFields(object(["a", "", scaled], ["a", "scale", scaled]))).toEqual([]);
});

test("who wrote an owned object besides its operator, Kubernetes' parts and the status is foreign", () => {
  const status = { "f:status": { "f:replicas": {} } };
  const foreign = foreignWriters(
    object(
      ["shop", "", made],
      ["kube-controller-manager", "", scaled],
      ["other", "status", status],
      ["autoscaler", "scale", scaled],
    ),
  );
  expect(foreign.map(({ manager, fields }) => [manager, fields])).toEqual([
    ["autoscaler", ["spec.replicas"]],
  ]);
  expect(foreignWriters(object(["someone", "", scaled]))).toEqual([]);
});
