import { describe, expect, expectTypeOf, it } from "vitest";
import type { components } from "../contracts/generated/openapi";
import { personalFields } from "../contracts/generated/personal";
import type * as Web from "../contracts/resources";
import { withoutPersonal } from "./personal";

type Wire = components["schemas"];
type Personal = (typeof personalFields)[number];

/** The names of a resource's fields as the page sees them. */
type Fields<T> = Exclude<keyof T, Personal>;

// The page's own types of resources are written by hand, without what is personal. These lines do not compile when the
// worker's document has other fields: a new one is taken up here, or left out on purpose.
describe("the page's resources have the fields of the worker's document", () => {
  it("accounts", () => {
    expectTypeOf<keyof Web.Profile>().toEqualTypeOf<Fields<Wire["Profile"]>>();
    expectTypeOf<keyof Web.Access>().toEqualTypeOf<Fields<Wire["Access"]>>();
    // A log-in through another site stands among the devices.
    expectTypeOf<Exclude<keyof Web.Device, "provider">>().toEqualTypeOf<Fields<Wire["Device"]>>();
    expectTypeOf<keyof Web.LinkedLogin>().toEqualTypeOf<Fields<Wire["LinkedLogin"]>>();
    expectTypeOf<keyof Web.Geo>().toEqualTypeOf<Fields<Wire["Geo"]>>();
  });

  it("the catalogue", () => {
    expectTypeOf<keyof Web.Bootstrap>().toEqualTypeOf<Fields<Wire["Bootstrap"]>>();
    expectTypeOf<keyof Web.Settings>().toEqualTypeOf<Fields<Wire["Settings"]>>();
    expectTypeOf<keyof Web.Event>().toEqualTypeOf<Fields<Wire["Event"]>>();
    expectTypeOf<keyof Web.Media>().toEqualTypeOf<Fields<Wire["Media"]>>();
    expectTypeOf<keyof Web.Participant>().toEqualTypeOf<Fields<Wire["Participant"]>>();
    expectTypeOf<keyof Web.ParticipantGroup>().toEqualTypeOf<Fields<Wire["ParticipantGroup"]>>();
    expectTypeOf<keyof Web.EventCategory>().toEqualTypeOf<Fields<Wire["EventCategory"]>>();
    expectTypeOf<keyof Web.EventLocation>().toEqualTypeOf<Fields<Wire["EventLocation"]>>();
    expectTypeOf<keyof Web.HomeRail>().toEqualTypeOf<Fields<Wire["HomeRail"]>>();
    expectTypeOf<keyof Web.Preroll>().toEqualTypeOf<Fields<Wire["Preroll"]>>();
    expectTypeOf<keyof Web.Slide>().toEqualTypeOf<Fields<Wire["Slide"]>>();
    expectTypeOf<keyof Web.Menu>().toEqualTypeOf<Fields<Wire["Menu"]>>();
    expectTypeOf<keyof Web.ContentPage>().toEqualTypeOf<Fields<Wire["ContentPage"]>>();
    expectTypeOf<keyof Web.CustomForm>().toEqualTypeOf<Fields<Wire["CustomForm"]>>();
    expectTypeOf<keyof Web.VodItem>().toEqualTypeOf<Fields<Wire["VodMediaItem"]>>();
    expectTypeOf<keyof Web.VodRail>().toEqualTypeOf<Fields<Wire["VodRail"]>>();
  });

  it("what is sold", () => {
    expectTypeOf<keyof Web.Package>().toEqualTypeOf<Fields<Wire["Package"]>>();
    expectTypeOf<keyof Web.Subscription>().toEqualTypeOf<Fields<Wire["Subscription"]>>();
    expectTypeOf<keyof Web.Order>().toEqualTypeOf<Fields<Wire["Order"]>>();
    expectTypeOf<keyof Web.SubscriptionState>().toEqualTypeOf<Fields<Wire["SubscriptionState"]>>();
    expectTypeOf<keyof Web.Coupon>().toEqualTypeOf<Fields<Wire["Coupon"]>>();
    expectTypeOf<keyof Web.CurrentPrice>().toEqualTypeOf<Fields<Wire["CurrentPrice"]>>();
    expectTypeOf<keyof Web.Card>().toEqualTypeOf<Fields<Wire["Card"]>>();
    expectTypeOf<keyof Web.Favourite>().toEqualTypeOf<Fields<Wire["Favorite"]>>();
  });
});

describe("what is personal", () => {
  it("is taken from answers at any depth, as the document marks it, and the keys with it", () => {
    const held = Object.fromEntries([...personalFields, "api_key"].map((name) => [name, "secret"]));
    expect(personalFields).toContain("email");
    expect(
      withoutPersonal([{ ...held, id: 1, order: { ...held, next_action: { ...held, type: "confirm" } } }]),
    ).toEqual([{ id: 1, order: { next_action: { type: "confirm" } } }]);
  });
});
