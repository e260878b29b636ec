import { fireEvent, screen } from "@testing-library/react";
import { expect } from "vitest";
import { anEvent, anOrder } from "../../sagas/testing/resources";
import { type Script, viewer } from "../../sagas/testing/world";
import { list, until } from "./calls";
import type { TestPage } from "./page";

/** The page that sells event 100. */
export const EVENT = "/buy?type=event&event_id=100&single_event_package_id=500";

export const card = { id: "pm", brand: "visa", exp_month: 12, exp_year: 2030 } as const;
export const coupon = {
  code: "SPRING",
  base_price: 1000,
  discount: 200,
  service_fee: 100,
  total: 900,
  currency: "USD",
};

/** A viewer with one saved card and no purchases. */
export const buyer = (): Script => ({
  ...viewer(),
  "api.getEvent": ({ id }) => anEvent({ id }),
  "api.listOrders": () => list([]),
  "api.listCards": () => [card],
  "payments.createCard": () => ({ payment_method_id: "pm_2" }),
  "api.buy": () => anOrder(),
  "api.getOrder": () => anOrder(),
});

export const payButton = async () => (await screen.findByRole("button", { name: /^Pay / })) as HTMLButtonElement;

/** Presses *Pay* and waits until the order exists and its payment is in progress. */
export async function payUntilProcessing(page: TestPage): Promise<void> {
  fireEvent.click(await payButton());
  await until(page, () => expect(page.world.state().purchase.at).toBe("processing"));
}

export const promoField = () => screen.getByLabelText<HTMLInputElement>("Promo code");
export const applyCode = () => fireEvent.click(screen.getByRole("button", { name: "Apply" }));
export const cardNumber = () => screen.getByLabelText<HTMLInputElement>("Card number");

/** Chooses a new card and types it. */
export function typeCard(number: string): void {
  fireEvent.click(screen.getByRole("radio", { name: /^New card/ }));
  fireEvent.change(cardNumber(), { target: { value: number } });
  fireEvent.change(screen.getByLabelText("Expires"), { target: { value: "12/30" } });
  fireEvent.change(screen.getByLabelText("Security code"), { target: { value: "123" } });
}
