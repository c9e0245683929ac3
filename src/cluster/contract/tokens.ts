/** What a token is issued for. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expiresIn: number;
  readonly boundTo?: { readonly kind: string; readonly name: string; readonly uid: string };
}

/** Who issues the tokens of service accounts. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly algorithm: string;
  issue(subject: TokenSubject): { token: string; expires: Date };
  /** A token that never ends, for a Secret to hold. */
  issueForSecret(account: { namespace: string; name: string; uid: string }, secret: string): string;
  /** The public keys, as a JSON Web Key Set. */
  keys(): object;
}
