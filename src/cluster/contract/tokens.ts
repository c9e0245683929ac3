/** The service account and the claims of a new token. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expiresIn: number;
  readonly boundTo?: { readonly kind: string; readonly name: string; readonly uid: string };
}

/** Issues the tokens of service accounts. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly algorithm: string;
  issue(subject: TokenSubject): { token: string; expires: Date };
  /** Issues a token that never expires, for a Secret. */
  issueForSecret(account: { namespace: string; name: string; uid: string }, secret: string): string;
  /** The public keys, as a JSON Web Key Set. */
  keys(): object;
}
