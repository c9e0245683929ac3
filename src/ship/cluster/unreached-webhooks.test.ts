import { expect, test } from "vitest";
import type { ManifestObject } from "../manifest.ts";
import { hasWebhooks, unreachedWebhooks } from "./wait.ts";

const webhooks: ManifestObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "validating-webhook-configuration" },
  webhooks: [{ name: "vshop-v1.kb.io" }],
};
const crd = (strategy: string): ManifestObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.apps.example.com" },
  spec: { group: "apps.example.com", conversion: { strategy } },
});

test("webhooks for admission and for conversion count", () => {
  expect(hasWebhooks([webhooks])).toBe(true);
  expect(hasWebhooks([crd("Webhook")])).toBe(true);
  expect(hasWebhooks([crd("None")])).toBe(false);
});

const from = 'Error from server (InternalError): error when creating "STDIN": ';

test.each([
  ["has no endpoints", `${from}Internal error occurred: failed calling webhook "vshop-v1.kb.io": refused`, 1],
  ["can't convert", `${from}conversion webhook for apps.example.com/v1, Kind=Shop failed: Post "https"`, 1],
  ["is not ours", `${from}Internal error occurred: failed calling webhook "other.example.com": refused`, 0],
  ["converts others' objects", `${from}conversion webhook for b.example.com/v1, Kind=B failed: Post`, 0],
  ["denies", `${from}admission webhook "vshop-v1.kb.io" denied the request: failed`, 0],
  ["is not reached by an invalid sample", "The Shop is invalid: spec.size: Required value", 0],
])("a webhook that %s", (_how, errors, count) => {
  expect(unreachedWebhooks(`kubectl failed\n${errors}\n`, [webhooks, crd("Webhook")])).toHaveLength(count);
});
