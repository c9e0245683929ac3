import type { User } from "../registry/core.ts";
import type { Filter, RequestContext } from "../server/request-context.ts";
import { unauthorized } from "../status/index.ts";

/** Finds out who a bearer token belongs to; undefined for a token that is not good. */
export type TokenReader = (token: string) => User | undefined | Promise<User | undefined>;

/** Says who makes the request: a bearer token, else nobody in particular. A bad token is refused. */
export function authenticationFilter(readToken: TokenReader): Filter {
  return async (context, next) => {
    const token = bearerToken(context);
    if (token !== undefined) {
      const user = await readToken(token);
      if (!user) throw unauthorized();
      context.user = { ...user, groups: [...new Set([...user.groups, "system:authenticated"])] };
    }
    return next();
  };
}

function bearerToken({ request }: RequestContext): string | undefined {
  const header = request.headers.authorization ?? "";
  return /^bearer\s+(\S+)$/i.exec(header)?.[1];
}
