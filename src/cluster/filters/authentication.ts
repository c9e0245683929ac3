import type { TLSSocket } from "node:tls";
import { authenticated, type User } from "../contract/user.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";
import { unauthorized } from "../contract/status-error.ts";

/** Finds out who a bearer token belongs to; undefined for a token that is not good. */
export type TokenReader = (token: string) => User | undefined;

/** Authenticates the request by client certificate or bearer token; without either it is anonymous. A bad token is refused. */
export function authenticationFilter(readToken: TokenReader): Filter {
  const certificates = new WeakMap<object, User | null>();
  return (context, next) => {
    const fromCertificate = certificateUser(context, certificates);
    if (fromCertificate) {
      context.user = fromCertificate;
      return next();
    }
    const token = bearerToken(context);
    if (token !== undefined) {
      const user = readToken(token);
      if (!user) throw unauthorized();
      context.user = authenticated(user);
    }
    return next();
  };
}

function bearerToken({ request }: RequestContext): string | undefined {
  const header = request.headers.authorization ?? "";
  return /^bearer\s+(\S+)$/i.exec(header)?.[1];
}

/** The certificate belongs to the connection: it is read once for all its requests. */
function certificateUser({ request }: RequestContext, known: WeakMap<object, User | null>): User | undefined {
  const socket = request.socket as Partial<TLSSocket>;
  if (!socket.authorized) return undefined;
  let user = known.get(request.socket);
  if (user === undefined) {
    user = readCertificate(socket as TLSSocket);
    known.set(request.socket, user);
  }
  return user ?? undefined;
}

/** The common name is the user, the organizations are the groups. */
function readCertificate(socket: TLSSocket): User | null {
  const { subject } = socket.getPeerCertificate();
  if (!subject?.CN) return null;
  const { CN, O = [] } = subject as { CN: string; O?: string | string[] };
  return authenticated({ name: CN, groups: Array.isArray(O) ? O : [O] });
}
