import type { KubernetesObject, ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import { expect, test } from "vitest";
import { linesWithWriters } from "./object-yaml.ts";

type Entry = Omit<ManagedFieldsEntry, "fieldsV1"> & { readonly fieldsV1?: unknown };

function writersOf(object: Readonly<Record<string, unknown>>, entries: readonly Entry[]): string[] {
  const metadata = { name: "a", managedFields: entries };
  return linesWithWriters({ kind: "Any", metadata, ...object } as unknown as KubernetesObject)
    .filter(({ path }) => path !== "kind" && !path.startsWith("metadata"))
    .map(({ text, managers }) => `${text} < ${managers.map(({ manager }) => manager).join()}`);
}

test("a line has the manager of its field with how and when it wrote, and none if it only holds fields", () => {
  const managedFields: ManagedFieldsEntry[] = [
    {
      manager: "shop",
      operation: "Apply",
      time: "2026-01-01T00:00:00Z",
      fieldsV1: { "f:spec": { "f:a": {} } },
    },
    {
      manager: "kubelet",
      operation: "Update",
      subresource: "status",
      fieldsV1: { "f:status": { "f:b": {} } },
    },
  ];
  const object = {
    apiVersion: "v1",
    kind: "Any",
    metadata: { name: "a", managedFields },
    spec: { a: 1 },
    status: { b: 2 },
  };
  const shop = { manager: "shop", operation: "Apply", subresource: undefined, at: "2026-01-01T00:00:00Z" };
  const kubelet = { manager: "kubelet", operation: "Update", subresource: "status", at: undefined };
  expect(linesWithWriters(object)).toEqual([
    { text: "apiVersion: v1", path: "apiVersion", managers: [] },
    { text: "kind: Any", path: "kind", managers: [] },
    { text: "metadata:", path: "metadata", managers: [] },
    { text: "  name: a", path: "metadata.name", managers: [] },
    { text: "spec:", path: "spec", managers: [] },
    { text: "  a: 1", path: "spec.a", managers: [shop] },
    { text: "status:", path: "status", managers: [] },
    { text: "  b: 2", path: "status.b", managers: [kubelet] },
  ]);
});

test("items are found by their keys, by their values and by their index", () => {
  const ports = [
    { port: 80, protocol: "TCP", name: "web" },
    { port: 80, protocol: "UDP", name: "quic" },
  ];
  const byKeys = { 'k:{"port":80,"protocol":"UDP"}': { ".": {}, "f:name": {}, "f:port": {} } };
  expect(
    writersOf({ finalizers: ["a", "b"], plain: [1, 2], ports }, [
      { manager: "keys", fieldsV1: { "f:ports": byKeys } },
      { manager: "values", fieldsV1: { "f:finalizers": { 'v:"b"': {} } } },
      { manager: "index", fieldsV1: { "f:plain": { "i:0": {} } } },
    ]),
  ).toEqual([
    "finalizers: < ",
    "- a < ",
    "- b < values",
    "plain: < ",
    "- 1 < index",
    "- 2 < ",
    "ports: < ",
    "- name: web < ",
    "  port: 80 < ",
    "  protocol: TCP < ",
    "- name: quic < keys",
    "  port: 80 < keys",
    "  protocol: UDP < ",
  ]);
});

test("who owns a whole map or list owns all in it; who made a map does not own what others set in it", () => {
  expect(
    writersOf({ labels: { one: "1", two: "2" }, selector: { app: ["x"] } }, [
      { manager: "maker", fieldsV1: { "f:labels": { ".": {}, "f:one": {} } } },
      { manager: "other", fieldsV1: { "f:labels": { "f:two": {} } } },
      { manager: "atomic", fieldsV1: { "f:selector": {} } },
    ]),
  ).toEqual([
    "labels: < maker",
    '  one: "1" < maker',
    '  two: "2" < other',
    "selector: < atomic",
    "  app: < atomic",
    "  - x < atomic",
  ]);
});

test("a line has all managers of its field, but not those of the map or list around it", () => {
  expect(
    writersOf({ spec: { replicas: 1, text: "one\ntwo\n" } }, [
      { manager: "a", fieldsV1: { "f:spec": { "f:replicas": {}, "f:text": {} } } },
      { manager: "b", fieldsV1: { "f:spec": { "f:replicas": {} } } },
      { manager: "whole", fieldsV1: { "f:spec": {} } },
      { manager: "nothing", fieldsV1: {} },
      { manager: "no fields" },
    ]),
  ).toEqual(["spec: < whole", "  replicas: 1 < a,b", "  text: | < a", "    one < a", "    two < a"]);
});

test("a field that is named like a member of every object has its own writer", () => {
  expect(
    writersOf({ labels: { constructor: "x", toString: "y" } }, [
      { manager: "a", fieldsV1: { "f:labels": { "f:toString": {} } } },
    ]),
  ).toEqual(["labels: < ", "  constructor: x < ", '  toString: "y" < a']);
});
