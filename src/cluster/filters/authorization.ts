import type { Attributes, Authorizer } from "../contract/authorizer.ts";
import { denied } from "../contract/denied.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";

/** Denies requests that the authorizer does not allow. */
export function authorizationFilter(authorizer: Authorizer): Filter {
  return (context, next) => {
    const attributes = attributesOf(context);
    const { allowed, reason } = authorizer.decide(context.user, attributes);
    if (!allowed) throw denied(context.user, attributes, reason);
    return next();
  };
}

/** A list or watch that selects one name by field selector is authorized like a request for that name. */
function attributesOf({ info, query }: RequestContext): Attributes {
  return info.name === "" ? { ...info, name: selectedName(query) } : info;
}

function selectedName(query: URLSearchParams): string {
  return /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get("fieldSelector") ?? "")?.[1] ?? "";
}
