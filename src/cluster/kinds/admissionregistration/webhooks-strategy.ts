import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Strategy } from "../../registry/resource.ts";
import { webhookProblems } from "./webhook-rules.ts";

/** Configurations of both kinds of webhooks: they have no spec, and a change of their webhooks is a new generation. */
export const webhooksStrategy: Partial<Strategy> = {
  specChanged: (object, old) => !isEqual(object["webhooks"], old["webhooks"]),
  validate: (object) => [...webhookProblems(object)],
  validateUpdate: (object, old) => [...webhookProblems(object, old)],
};
