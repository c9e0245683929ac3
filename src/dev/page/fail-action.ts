import type { OwnCluster } from "../dev-cluster.ts";
import { ActionInput } from "./action-input.ts";
import type { PageAction } from "./page-action.ts";
import { RequestError } from "./request-error.ts";
import { checkIsServed } from "./served-resource.ts";

const codes = [403, 409, 500, 503] as const;
const mostTimes = 1000;
const mostMilliseconds = 60_000;

/** Plans that the operator's next requests fail, or wait for their answers. Without times, that ends. */
export function failAction({ failures, client }: Pick<OwnCluster, "failures" | "client">): PageAction {
  return async (input) => {
    const members = new ActionInput(input);
    const [verb, resource] = [members.text("verb"), members.text("resource")];
    const code = members.optionalCount("code", 599);
    const delay = members.optionalCount("delay", mostMilliseconds);
    const known = codes.find((each) => each === code);
    if ((known === undefined) === (delay === undefined))
      throw new RequestError(400, `either "code" must be one of ${codes.join(", ")}, or "delay" be set`);
    if (resource !== "*") await checkIsServed(client.mapper, resource);
    const outcome = known === undefined ? { delay: delay! } : { code: known };
    failures.plan({ verb, resource, outcome, times: members.optionalCount("times", mostTimes) ?? 1 });
    return { plans: failures.plans };
  };
}
