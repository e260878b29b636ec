const WITHOUT_DECIMALS = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF";
const WITH_THREE = "BHD IQD JOD KWD LYD OMR TND";

/**
 * The decimals of a currency's minor unit, as in `worker/protocol/src/money.rs` and at Stripe (PAY-17). A browser's own
 * number differs for some, such as HUF and IDR.
 */
export const decimalsOf = (currency: string): number =>
  WITHOUT_DECIMALS.includes(currency) ? 0 : WITH_THREE.includes(currency) ? 3 : 2;

/** An amount of minor units in the currency's major unit. */
export const inUnits = (minor: number, currency: string): number => minor / 10 ** decimalsOf(currency);
