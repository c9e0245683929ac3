/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { randomBytes } from "node:crypto";
import type { Clock, Duration, Stored } from "@tsbuilder/runtime";
import type { Maria } from "../../api/v1/maria_types.ts";
import { DOMAIN, ROTATE_ANNOTATION } from "./maria_names.ts";
import type { Observed } from "./maria_observed.ts";
import { decode, hashOf } from "./maria_secrets.ts";

// Which passwords are valid? Servers accept the current ones. New ones are accepted beside them, and become current once
// all servers accept them; the former ones stay valid for a while. So no login is refused at any time.

/** Users of clients, of the administrator, and of the servers themselves. */
const USERS = ["app", "root", "replication", "backup", "probe"] as const;
export type User = (typeof USERS)[number];
export type Credentials = Readonly<Record<User, string>>;
type SomeCredentials = Readonly<Partial<Credentials>>;

/** At most two passwords of each user, because MySQL holds no more. */
export interface Passwords {
  /** Published in the Secret for clients; replicas, backups and probes log in with these, too. */
  readonly current: Credentials;
  readonly next: SomeCredentials;
  readonly former: SomeCredentials;
  /** When the former ones were replaced. */
  readonly replaced?: string | undefined;
  /** The last rotation that was asked for. */
  readonly asked?: string | undefined;
}

/** Annotations of the servers' Secret: what all servers accept, as a hash, and when passwords were replaced. */
export const ACCEPTED = `${DOMAIN}/accepted`;
export const REPLACED = `${DOMAIN}/replaced`;

/** The passwords that are valid from now on. Given ones are the spec's; the others are generated. */
export function validPasswords(
  mysql: Stored<Maria>,
  observed: Observed,
  given: SomeCredentials,
  clock: Clock,
): Passwords {
  const files = decode(observed.config?.data);
  const published = decode(observed.credentials?.data);
  const recorded = observed.config?.metadata.annotations ?? {};
  const kept = (which: string) => pick((user) => files[`${which}-${user}`]);
  const before = { next: kept("next"), former: kept("former") };
  const all = (choose: (user: User) => string): Credentials => {
    const found = pick(choose) as Credentials;
    return mysql.spec.username === "root" ? { ...found, app: found.root } : found;
  };
  const current = all(
    (user) => files[`password-${user}`] ?? published[user] ?? given[user] ?? generate(),
  );
  const [replaced, done] = [recorded[REPLACED], recorded[ROTATE_ANNOTATION]];
  if (graceOf(mysql, observed, clock)) return { current, ...before, replaced, asked: done };

  const asked = mysql.metadata.annotations?.[ROTATE_ANNOTATION];
  const isAsked = observed.config !== undefined && asked !== undefined && asked !== done;
  const wanted = all(
    (user) => given[user] ?? (isAsked ? generate() : (before.next[user] ?? current[user])),
  );
  const changed = pick((user) => (wanted[user] === current[user] ? undefined : wanted[user]));
  const isAccepted = recorded[ACCEPTED] === hashOf(files["passwords.sql"] ?? "");
  if (Object.keys(changed).length === 0 || !isSame(changed, before.next) || !isAccepted) {
    return { current, next: changed, former: {}, asked };
  }
  const old = pick((user) => changed[user] && current[user]);
  const now = new Date(clock.now()).toISOString();
  return { current: wanted, next: {}, former: old, replaced: now, asked };
}

/** How long the former passwords are still valid. */
export function graceOf({ spec }: Maria, { config }: Observed, clock: Clock): Duration | undefined {
  const replaced = config?.metadata.annotations?.[REPLACED];
  if (!replaced) return undefined;
  const end = Date.parse(replaced) + 1000 * (spec.passwordGraceSeconds ?? 3600);
  return end > clock.now() ? `${Math.ceil((end - clock.now()) / 1000)}s` : undefined;
}

function pick(choose: (user: User) => string | undefined): SomeCredentials {
  const found = USERS.map((user) => [user, choose(user)] as const);
  return Object.fromEntries(found.filter(([, password]) => password !== undefined));
}

function isSame(a: SomeCredentials, b: SomeCredentials): boolean {
  return USERS.every((user) => a[user] === b[user]);
}

/** 32 characters that never need quoting. */
function generate(): string {
  return randomBytes(24).toString("base64url");
}
