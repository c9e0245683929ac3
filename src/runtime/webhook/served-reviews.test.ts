import { describe, expect, test } from "vitest";
import { applyJSONPatch, type JSONObject, parseJSONPatch } from "@tsbuilder/apimachinery/patch";
import { db, MySQL, OldMySQL, review, serve } from "../../../e2e/support/runtime/served-webhooks.ts";
import { ApiError } from "../errors/api-error.ts";
import type { AdmissionContext, InvalidField } from "./webhooks.ts";

describe("defaulting", () => {
  test("a defaulter answers with a minimal patch against the original object", async () => {
    const { call } = await serve((builder) =>
      builder.defaulter({
        default(mysql) {
          mysql.spec.replicas ??= 3;
        },
      }),
    );
    const object = { ...db({ storage: "1Gi", fieldOfTheFuture: { a: [1] } }), status: { x: 1 } };
    const { status, body } = await call("/mutate-apps-example-com-v1-mysql", review("CREATE", object));
    expect(status).toBe(200);
    const { response } = body as unknown as {
      response: { patch: string; patchType: string; uid: string; allowed: boolean };
    };
    expect(response).toMatchObject({ uid: "u-1", allowed: true, patchType: "JSONPatch" });
    const patch = JSON.parse(Buffer.from(response.patch, "base64").toString()) as unknown;
    expect(patch).toEqual([{ op: "add", path: "/spec/replicas", value: 3 }]);
    expect(applyJSONPatch(object as unknown as JSONObject, parseJSONPatch(patch))).toEqual({
      ...object,
      spec: { ...object.spec, replicas: 3 },
    });
  });

  test("without a change there is no patch, and a deletion is not defaulted", async () => {
    let calls = 0;
    const { call } = await serve((builder) => builder.defaulter({ default: () => void calls++ }));
    const unchanged = await call("/mutate-apps-example-com-v1-mysql", review("UPDATE", db({})));
    expect(unchanged.body.response).toEqual({ uid: "u-1", allowed: true });
    await call("/mutate-apps-example-com-v1-mysql", review("DELETE", null, { oldObject: db({}) }));
    expect(calls).toBe(1);
  });
});

describe("validating", () => {
  const path = "/validate-apps-example-com-v1-mysql";

  test("a validator sees old and new object, user and dry run; its wrong fields become a 422 with causes", async () => {
    const seen: unknown[] = [];
    const { call } = await serve((builder) =>
      builder.validator({
        validateUpdate(mysql, old, { request, warn }: AdmissionContext): InvalidField[] {
          seen.push([mysql.spec.storage, old.spec.storage, request.userInfo.username, request.dryRun]);
          warn("storage will be moved");
          return [
            { field: "spec.storage", value: mysql.spec.storage, message: "can't shrink" },
            { field: "spec.replicas", message: "is needed", reason: "Required" },
          ];
        },
      }),
    );
    const more = { oldObject: db({ storage: "2Gi" }), dryRun: true };
    const { body } = await call(path, review("UPDATE", db({ storage: "1Gi" }), more));
    expect(seen).toEqual([["1Gi", "2Gi", "alice", true]]);
    expect(body.response).toMatchObject({
      allowed: false,
      warnings: ["storage will be moved"],
      status: {
        code: 422,
        reason: "Invalid",
        message:
          'MySQL.apps.example.com "db" is invalid: [spec.storage: Invalid value: "1Gi": can\'t shrink, spec.replicas: Required value: is needed]',
        details: {
          name: "db",
          group: "apps.example.com",
          kind: "MySQL",
          causes: [
            { field: "spec.storage", reason: "FieldValueInvalid" },
            { field: "spec.replicas", reason: "FieldValueRequired" },
          ],
        },
      },
    });
  });

  test.each([
    [
      "an error is a rejection with its message",
      new Error("not on Fridays"),
      { code: 403, message: "not on Fridays" },
    ],
    ["an ApiError keeps its status", new ApiError({ code: 429, reason: "TooManyRequests" }), { code: 429 }],
  ])("%s", async (_name, error, status) => {
    const { call } = await serve((builder) =>
      builder.validator({ validateCreate: () => Promise.reject(error) }),
    );
    const { body } = await call(path, review("CREATE", db({})));
    expect(body.response).toMatchObject({ allowed: false, status });
  });

  test("a bug results in a 500 whose message is only in the log, and the server continues", async () => {
    const { call, lines, counted } = await serve((builder) =>
      builder.validator({
        validateCreate: (mysql) => (mysql as unknown as { spec: { a: { b: never } } }).spec.a.b,
      }),
    );
    const { status, body } = await call(path, review("CREATE", db({})));
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain("undefined");
    expect(lines.join()).toContain("Cannot read properties");
    expect(counted).toEqual([`${path} panic`, `${path} 500`]);
    expect((await call(path, review("DELETE", null, { oldObject: db({}) }))).status).toBe(200);
  });

  test("a bug in a conversion is counted and logged", async () => {
    const toHub = () => (undefined as unknown as { spec: { spec: object } }).spec;
    const { call, counted, lines } = await serve((builder) =>
      builder.conversion(OldMySQL, { toHub, fromHub: () => ({ spec: { size: 1 } }) }),
    );
    const objects = [{ ...db({}), apiVersion: OldMySQL.apiVersion }];
    const request = { uid: "c", desiredAPIVersion: MySQL.apiVersion, objects };
    await call("/convert", { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
    expect(lines.join()).toContain("Cannot read properties");
    expect(counted).toEqual(["/convert panic", "/convert 200"]);
  });

  test("an invalid request is rejected: type, size, JSON, kind, path", async () => {
    const { call } = await serve((builder) => builder.validator({}));
    expect((await call(path, "{}", { type: "text/plain" })).status).toBe(400);
    expect((await call(path, "{")).status).toBe(400);
    expect((await call(path, { kind: "Pod" })).status).toBe(400);
    expect((await call("/elsewhere", {})).status).toBe(404);
    const tooLarge = JSON.stringify({ a: "x".repeat(7 * 1024 * 1024) });
    expect((await call(path, tooLarge).catch(() => ({ status: 413 }))).status).toBe(413);
  });
});
