import type { Strategy } from "../../resource.ts";
import { eachOf, type Fields, fillIn } from "./fill-in.ts";

export const limitRangeStrategy: Partial<Strategy> = {
  default: (object) => eachOf(object["spec"], "limits").forEach(defaultLimits),
};

/** What a container may have at most is what it gets, and that is what it asks for, unless they are said. */
function defaultLimits(limits: Fields): void {
  if (limits["type"] !== "Container") return;
  const { max = {}, min = {} } = limits as { max?: Fields; min?: Fields };
  const all = { ...max, ...(limits["default"] as Fields) };
  const requests = { ...min, ...all, ...(limits["defaultRequest"] as Fields) };
  if (Object.keys(all).length > 0) limits["default"] = all;
  if (Object.keys(requests).length > 0) limits["defaultRequest"] = requests;
}

export const priorityClassStrategy: Partial<Strategy> = {
  default: (object) => fillIn(object, () => ({ preemptionPolicy: "PreemptLowerPriority" })),
};

export const flowSchemaStrategy: Partial<Strategy> = {
  default(object) {
    fillIn(object["spec"], () => ({ matchingPrecedence: 1000 }));
    object["status"] ??= {};
  },
};

/** For kinds of which Go prints a status that nobody has written yet. */
export const emptyStatusStrategy: Partial<Strategy> = {
  default: (object) => void (object["status"] ??= {}),
};
