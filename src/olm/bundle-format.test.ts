import { expect, test } from "vitest";
import * as format from "./bundle-format.ts";

test("the words of bundles are those that OLM reads", () => {
  const { bundleAnnotations, csvAnnotations, bundledKinds, ...others } = format;

  expect(new Set(Object.values(bundleAnnotations)).size).toBe(Object.keys(bundleAnnotations).length);
  expect(bundleAnnotations.channels).toBe("operators.operatorframework.io.bundle.channels.v1");
  expect(bundleAnnotations.defaultChannel).toBe("operators.operatorframework.io.bundle.channel.default.v1");
  expect(csvAnnotations.examples).toBe("alm-examples");
  expect([...bundledKinds]).toContain("CustomResourceDefinition");
  expect(others).toMatchObject({ bundleMediaType: "registry+v1", targetNamespaces: "olm.targetNamespaces" });
});
