import { expect, test } from "vitest";
import { fieldPaths } from "./index.ts";

test("a set of fields is a list of paths, down to what is owned", () => {
  const fields = {
    "f:metadata": { "f:labels": { ".": {}, "f:app.kubernetes.io/name": {} }, "f:annotations": { ".": {} } },
    "f:spec": {
      "f:replicas": {},
      "f:ports": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:name": {} }, "i:2": {} },
      "f:words": { 'v:"a"': {} },
    },
  };
  expect(fieldPaths(fields)).toEqual([
    "metadata.labels.app.kubernetes.io/name",
    "metadata.annotations",
    "spec.replicas",
    "spec.ports[port=80,protocol=TCP].name",
    "spec.ports[2]",
    'spec.words["a"]',
  ]);
});

test.each([undefined, "text", {}])("%j names no path", (fields) => {
  expect(fieldPaths(fields)).toEqual([]);
});
