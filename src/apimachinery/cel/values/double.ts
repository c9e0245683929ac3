/** A CEL double. Boxed, because plain numbers are ints, which are far more common. */
export class CelDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}
