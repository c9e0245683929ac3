import { expect, test } from "vitest";
import { convertSample } from "./convert-sample.ts";
import { answerReview } from "./sample-webhooks.ts";

const decoded = ({ patch }: { patch?: string }): unknown =>
  patch && JSON.parse(Buffer.from(patch, "base64").toString());

test("data changes stage by stage", async () => {
  const stage = async (data: object) =>
    decoded(
      await answerReview("/mutating-configmaps", { operation: "CREATE", object: { data: { ...data } } }),
    );
  expect(await stage({})).toBeUndefined();
  expect(await stage({ "mutation-start": "yes" })).toEqual([
    { op: "add", path: "/data/mutation-stage-1", value: "yes" },
  ]);
  expect(await stage({ "mutation-start": "yes", "mutation-stage-1": "yes" })).toEqual([
    { op: "add", path: "/data/mutation-stage-2", value: "yes" },
  ]);
});

test("marked data is refused, and kept from deletion by the old object", async () => {
  const data = { "webhook-e2e-test": "webhook-nondeletable" };
  const update = { operation: "UPDATE", object: { data } };
  expect(await answerReview("/configmaps", update)).toEqual({ allowed: true });
  const deletion = { operation: "DELETE", object: null, oldObject: { data } };
  expect(await answerReview("/configmaps", deletion)).toEqual({
    allowed: false,
    status: { reason: "the configmap cannot be deleted because it contains unwanted key and value" },
  });
});

test("a first label comes with the map of labels", async () => {
  const patch = async (metadata: object) =>
    decoded(await answerReview("/add-label", { operation: "CREATE", object: { metadata } }));
  expect(await patch({})).toEqual([{ op: "add", path: "/metadata/labels", value: { "added-label": "yes" } }]);
  expect(await patch({ labels: { a: "b" } })).toEqual([
    { op: "add", path: "/metadata/labels/added-label", value: "yes" },
  ]);
  expect(await patch({ labels: { "added-label": "yes" } })).toBeUndefined();
});

test("a sample converts to the other version and back", () => {
  const first = { apiVersion: "stable.example.com/v1", hostPort: "here:80" };
  const second = { apiVersion: "stable.example.com/v2", host: "here", port: "80" };
  expect(convertSample(first, second.apiVersion)).toEqual(second);
  expect(convertSample(second, first.apiVersion)).toEqual(first);
});
