export { type Lock, type LockHolder, tryLock } from "./try-lock.ts";
