import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";
import type { Manager } from "../manager/manager.ts";
import type { AdmissionWebhook, Conversion, Defaulter, Validator } from "./webhooks.ts";

interface MySQL extends CustomResource<{ replicas?: number; storage: string }, { ready?: number }> {}
const group = { group: "apps.example.com" };
const names = { kind: "MySQL", plural: "mysqls" };
const MySQL = defineKind<MySQL>({ ...group, version: "v1" }, names);
interface OldMySQL extends CustomResource<{ size: number }> {}
const OldMySQL = defineKind<OldMySQL>({ ...group, version: "v1beta1" }, names);

declare const manager: Manager;

class MySQLDefaulter implements Defaulter<MySQL> {
  default(mysql: MySQL): void {
    mysql.spec.replicas ??= 3;
  }
}

// A validator may have any of its three methods, synchronous or not, and may return nothing.
const validator: Validator<MySQL> = {
  validateCreate(mysql, { warn, request }) {
    if (request.dryRun !== true) warn("careful");
    return mysql.spec.replicas === 2 ? [{ field: "spec.replicas", value: 2, message: "must be odd" }] : [];
  },
  async validateDelete() {},
};
// @ts-expect-error An error of a field needs the field's path.
const wordless: Validator<MySQL> = { validateCreate: () => [{ message: "no" }] };
// @ts-expect-error Go's (warnings, error) doesn't exist: use warn() and throw.
const goLike: Validator<MySQL> = { validateCreate: () => [["warning"], null] };
// @ts-expect-error A defaulter changes its draft and doesn't return an object.
const replacing: Defaulter<MySQL> = { default: (mysql): MySQL => ({ ...mysql }), other: 1 };
void [wordless, goLike, replacing];

const conversion: Conversion<MySQL, OldMySQL> = {
  toHub: ({ spec }) => ({ spec: { replicas: spec.size, storage: "1Gi" } }),
  fromHub: ({ spec }) => ({ spec: { size: spec.replicas ?? 1 } }),
};
const lossy: Conversion<MySQL, OldMySQL> = {
  ...conversion,
  // @ts-expect-error The hub's required fields must be set by a conversion.
  toHub: ({ spec }) => ({ spec: { replicas: spec.size } }),
};
void lossy;

manager
  .webhookFor(MySQL)
  .defaulter(new MySQLDefaulter())
  .validator(validator, { path: "/validate-mine" })
  .conversion(OldMySQL, conversion)
  .complete();
// @ts-expect-error The conversion must be for the given spoke.
manager.webhookFor(MySQL).conversion(MySQL, conversion);
// @ts-expect-error A defaulter of another kind.
manager.webhookFor(OldMySQL).defaulter(new MySQLDefaulter());

// A webhook at a path gets any kind; its type parameter is the type of the objects.
interface PodExecOptions {
  command?: string[];
  stdin?: boolean;
}
manager.webhookAt<PodExecOptions>("/validate-exec", ({ object, subResource }, { warn }) => {
  if (subResource === "exec" && object?.command?.[0] === "sh") warn("a shell");
  return { allowed: object?.stdin !== true, status: { message: "no input" } };
});
manager.webhookAt("/mutate-any", async ({ object }) => ({ object: { ...object, metadata: {} } }));
manager.webhookAt("/nothing", () => {});
// @ts-expect-error Not a decision.
const yes: AdmissionWebhook = () => true;
// @ts-expect-error A JSON patch is a list of operations.
const merge: AdmissionWebhook = () => ({ patch: { metadata: {} } });
void [yes, merge];
