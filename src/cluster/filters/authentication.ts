import type { TLSSocket } from "node:tls";
import { authenticated, credentialId, type User } from "../contract/user.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";
import { unauthorized } from "../contract/status-error.ts";

/** Returns the user of a bearer token; undefined if the token is invalid. */
export type TokenReader = (token: string) => User | undefined;

/** Authenticates requests by client certificate or bearer token. Without either they are anonymous; an invalid token is an error. */
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

/** The user of the connection's client certificate, which is parsed once for all its requests. */
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

/** The common name is the user, the organizations are the groups; the fingerprint says which certificate it was. */
function readCertificate(socket: TLSSocket): User | null {
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (!subject?.CN) return null;
  const { CN, O = [] } = subject as { CN: string; O?: string | string[] };
  const id = `X509SHA256=${fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return authenticated({ name: CN, groups: Array.isArray(O) ? O : [O], extra: credentialId(id) });
}
