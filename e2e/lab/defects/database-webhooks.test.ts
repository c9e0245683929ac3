import { admissionContext, checkRoundTrip } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { User } from "./operators/database/types.ts";
import type { User as UserV1beta1 } from "./operators/database/types-v1beta1.ts";
import { conversion, defaulter, validator } from "./operators/database/webhooks.ts";

const user = (spec: Partial<User["spec"]> = {}): User => ({
  apiVersion: "db.example.com/v1",
  kind: "User",
  metadata: { name: "ann", namespace: "shop", annotations: { team: "red" } },
  spec: { database: "main", ...spec },
});
const former = (spec: Partial<UserV1beta1["spec"]> = {}, annotations = {}): UserV1beta1 => ({
  apiVersion: "db.example.com/v1beta1",
  kind: "User",
  metadata: { name: "ann", namespace: "shop", annotations: { team: "red", ...annotations } },
  spec: { databaseRef: { name: "main" }, ...spec },
});

test("a User of v1beta1 comes back unchanged, with what only v1 has", () => {
  checkRoundTrip(
    conversion,
    former(),
    former({ readOnly: true, namespaces: ["a", "b"] }),
    former({ readOnly: false }, { "db.example.com/login": "ann" }),
  );
  expect(conversion.toHub(former({}, { "db.example.com/login": "ann" }))).toMatchObject({
    metadata: { annotations: { team: "red" } },
    spec: { database: "main", login: "ann" },
  });
});

test("the login is the name, and stays", async () => {
  const created = user();
  await defaulter.default(created, admissionContext());
  expect(created.spec.login).toBe("ann");
  const renamed = user({ login: "bob" });
  expect(await validator.validateUpdate?.(renamed, created, admissionContext())).toEqual([
    { field: "spec.login", value: "bob", message: "must not change" },
  ]);
});

test("a copy in the namespace of the User is refused", async () => {
  expect(await validator.validateCreate?.(user({ copies: ["other"] }), admissionContext())).toEqual([]);
  expect(await validator.validateCreate?.(user({ copies: ["a", "shop"] }), admissionContext())).toMatchObject(
    [{ field: "spec.copies[1]", value: "shop" }],
  );
});
