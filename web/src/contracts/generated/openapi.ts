// Generated from docs/openapi.json by `npm --prefix web run codegen`. Do not edit.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The answer of `GET /user/access`. */
        Access: {
            /**
             * @description May make clips.
             * @example true
             */
            clipping: boolean;
            /**
             * @description May download events.
             * @example false
             */
            download: boolean;
            /**
             * @description May download clips.
             * @example true
             */
            download_clip: boolean;
            /**
             * @description Categories they own through packages.
             * @example [
             *       10,
             *       20
             *     ]
             */
            event_categories: number[];
            /**
             * @description Events they own singly.
             * @example [
             *       11
             *     ]
             */
            events: number[];
            /**
             * @description Sees no prerolls.
             * @example false
             */
            no_ads: boolean;
            /**
             * @description Teams they own passes for.
             * @example [
             *       101
             *     ]
             */
            participants: number[];
            /**
             * @description Whether an active subscription opens everything.
             * @example false
             */
            subscribed: boolean;
            /**
             * @description May watch the library.
             * @example true
             */
            vod_media_access: boolean;
            /**
             * @description May watch what they own.
             * @example true
             */
            watch: boolean;
        };
        /**
         * @description What a viewer needs to watch an event.
         * @example free
         * @enum {string}
         */
        AccessType: "free" | "paid" | "register" | "ppv";
        /**
         * @description Whether what was bought can be used now.
         * @example active
         * @enum {string}
         */
        ActivityStatus: "active" | "inactive";
        /** @description Body of `POST /auth/add_session`: links the device that shows this code. */
        AddSession: {
            /**
             * @description Six letters and digits.
             * @example 7QK4XM
             */
            code: string;
        };
        /** @description How a channel treats analytics. */
        AnalyticsSettings: {
            /**
             * @description Nothing is recorded until the viewer consents.
             * @example false
             */
            consent?: boolean;
            /**
             * @description A browser that sends Do-Not-Track or GPC is not recorded.
             * @example true
             */
            respect_dnt?: boolean;
        };
        /** @description A key that every other call carries. */
        ApiKey: {
            /**
             * @description Opaque; the worker stores its hash alone.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description How one logs in. */
        AuthSettings: {
            /**
             * @description Social login, of `google` and `facebook`.
             * @example [
             *       "google"
             *     ]
             */
            providers?: string[];
            /**
             * Format: int32
             * @description A number treated as a boolean: whether a device can be linked by code.
             * @example 1
             */
            remote_auth?: number;
        };
        /**
         * @description Whether a subscription renews itself.
         * @example active
         * @enum {string}
         */
        AutoRenew: "active" | "cancelled";
        /** @description The answer of `POST /datalake/batch`. */
        BatchAnswer: {
            /** @description One result for each event, in the order in which they were sent. */
            results: components["schemas"]["EventResult"][];
        };
        /** @description One event of a batch, as it stands in the text of the request. What is wrong with one event refuses it alone. */
        BatchEvent: {
            /** @description When it happened, by the sender's clock: RFC 3339. */
            at?: unknown;
            /** @description The call's body: [`SessionBody`], [`EventBody`], [`VideoEventBody`], [`VideoViewingBody`] or [`CmcdBody`]. */
            body?: unknown;
            /** @description The event's UUID. The worker takes each id once in seven days. */
            id: string;
            /** @description Which call it is: `/datalake/session/`, `/datalake/event/`, `/datalake/video/event/`, `/datalake/video/viewing/`, `/datalake/cmcd/`. */
            path: string;
        };
        /**
         * @description Body of `POST /datalake/batch`.
         * @example {
         *       "sent_at": "2026-11-21T10:00:01.000Z",
         *       "events": [
         *         {
         *           "id": "01a1fdda-7948-7cbd-a16c-df02a4c6044a",
         *           "path": "/datalake/event/",
         *           "at": "2026-11-21T10:00:00.250Z",
         *           "body": {
         *             "event": "visit",
         *             "profile": "p-1",
         *             "session_uuid": "s-1"
         *           }
         *         }
         *       ]
         *     }
         */
        BatchRequest: {
            /** @description 1 to [`MAX_BATCH_EVENTS`] events. */
            events: components["schemas"]["SentEvent"][];
            /** @description When the sender sends it, by the sender's clock. */
            sent_at: components["schemas"]["Moment"];
        };
        /** @description Everything static of a channel in one answer. */
        Bootstrap: {
            /** @description As `GET /color-settings/web`. */
            "color-settings": components["schemas"]["ColorSettings"];
            /** @description As `GET /events-categories`. */
            "events-categories": components["schemas"]["EventCategory"][];
            /** @description As `GET /events-locations`. */
            "events-locations": components["schemas"]["EventLocation"][];
            /** @description As `GET /faq`. */
            faq: components["schemas"]["Faq"][];
            /** @description As `GET /menu`. */
            menu: components["schemas"]["Menu"];
            /** @description As `GET /packages`. */
            packages: components["schemas"]["Package"][];
            /** @description As `GET /pages`. */
            pages: components["schemas"]["ContentPage"][];
            /** @description As `GET /participant-group-properties`. */
            "participant-group-properties": components["schemas"]["ParticipantGroupProperty"][];
            /** @description As `GET /participant-groups`. */
            "participant-groups": components["schemas"]["ParticipantGroup"][];
            /** @description As `GET /settings`. */
            settings: components["schemas"]["Settings"];
            /** @description As `GET /slides/web`, all types. */
            slides: components["schemas"]["Slide"][];
            /** @description As `GET /subscriptions`. */
            subscriptions: components["schemas"]["Subscription"][];
        };
        /** @description Body of `POST /stripe/buy`. Takes an `Idempotency-Key`. */
        Buy: {
            /** @description The currency of these amounts, ISO 4217. */
            currency?: string | null;
            /**
             * Format: int64
             * @description What each renewal of a subscription was said to cost in all, minor units.
             */
            expected_renewal_price?: number | null;
            /**
             * Format: int64
             * @description The fee within that total, minor units.
             */
            expected_service_fee?: number | null;
            /**
             * Format: int64
             * @description The total that the buyer was shown, minor units, after promo code and fee. Where it is not the total now, nothing
             *     is bought: 409 `price_changed`.
             */
            expected_total?: number | null;
            /**
             * Format: int64
             * @description Of the event, package or subscription.
             * @example 1
             */
            id: number;
            /**
             * Format: int64
             * @description For a team pass.
             */
            participant_id?: number | null;
            /**
             * @description A saved card, or one that was just entered.
             * @example pm_1
             */
            payment_method_id: string;
            /**
             * @description A promo code.
             * @example KICKOFF20
             */
            promo_code?: string | null;
            /**
             * @description Whether the card is kept for the next purchase once this one is paid; `true` where it is absent. A subscription keeps
             *     its card.
             */
            save_card?: boolean | null;
            /**
             * Format: int64
             * @description For a paid event.
             */
            single_event_package_id?: number | null;
            /** @description What is bought. */
            type: components["schemas"]["OrderType"];
        };
        /** @description A saved card. */
        Card: {
            /**
             * @description E.g. `visa`.
             * @example visa
             */
            brand: string;
            /**
             * @description Whether the last payment with it was refused: no site offers it first.
             * @example false
             */
            declined?: boolean;
            /**
             * Format: int32
             * @description 1 to 12.
             * @example 12
             */
            exp_month: number;
            /**
             * Format: int32
             * @description Four digits.
             * @example 2040
             */
            exp_year: number;
            /**
             * @description For `payment_method_id`.
             * @example pm_1
             */
            id: string;
            /**
             * @description Whether it is offered first.
             * @example true
             */
            is_default?: boolean;
            /**
             * @description The last four digits.
             * @example 4242
             */
            last4: string;
        };
        /** @description What `/keys/{hostname}.json` holds: the public key of the channel that this host shows. */
        ChannelKey: {
            /**
             * @description The channel's key, e.g. `northfield`.
             * @example northfield
             */
            channel_key: string;
        };
        /**
         * @description How a charge ended.
         * @example succeeded
         * @enum {string}
         */
        ChargeStatus: "pending" | "succeeded" | "failed";
        /** @description A clip. */
        Clip: {
            /**
             * @description When it was asked for, RFC 3339 UTC.
             * @example 2026-11-21T18:00:00.000Z
             */
            created_at: string;
            /**
             * Format: double
             * @description Seconds.
             * @example 8
             */
            duration: number;
            event?: components["schemas"]["Event"] | null;
            /**
             * Format: int64
             * @description The event that it is cut from; absent for the library's.
             * @example 25
             */
            event_id?: number | null;
            /**
             * Format: int64
             * @description The media it is cut from.
             * @example 253
             */
            event_media_id: number;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description Whether the channel's operator hid it: nobody is shown its video.
             * @example false
             */
            is_hidden?: boolean;
            /**
             * @description Its name.
             * @example The winning goal
             */
            name: string;
            /**
             * Format: double
             * @description Seconds from the start of the media.
             * @example 4
             */
            start_time: number;
            /** @description How far it has come. */
            status: components["schemas"]["ClipStatus"];
            /**
             * @description Its tags.
             * @example [
             *       "goal"
             *     ]
             */
            tags: string[];
            /**
             * @description The address of the playlist, when ready. It holds the `uuid`, which opens it: whoever has the link may watch.
             * @example /media/northfield/c/9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135/index.m3u8
             */
            url?: string | null;
            /**
             * @description The shared clip's address is `/share/{id}/{uuid}`.
             * @example 9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135
             */
            uuid: string;
            /**
             * Format: int64
             * @description Grows with each change.
             * @example 3
             */
            version: number;
            video?: components["schemas"]["VodMediaItem"] | null;
            /** @description Who may find it. */
            visibility?: components["schemas"]["ClipVisibility"];
            /**
             * Format: int64
             * @description The video of the library that it is cut from.
             * @example 2
             */
            vod_id?: number | null;
        };
        /** @description What viewers may do with clips. */
        ClipSettings: {
            /**
             * @description Whether clips of events and videos that are paid for may be public, too.
             * @example false
             */
            public_of_paid?: boolean;
        };
        /**
         * @description How far a clip has come.
         * @example ready
         * @enum {string}
         */
        ClipStatus: "queued" | "processing" | "ready" | "failed";
        /**
         * @description Who may find a clip.
         * @example link
         * @enum {string}
         */
        ClipVisibility: "link" | "public";
        /**
         * @description Body of `/datalake/cmcd` in a batch: a player's report on how well it plays, after CTA-5004-B (event mode).
         * @example {
         *       "sid": "v-1",
         *       "sn": 3,
         *       "e": "ps",
         *       "sta": "p",
         *       "keys": {
         *         "msd": 412,
         *         "bsa": [
         *           0
         *         ],
         *         "pt": 1200
         *       }
         *     }
         */
        CmcdBody: components["schemas"]["Content"] & components["schemas"]["Viewer"] & components["schemas"]["Common"] & {
            e?: components["schemas"]["Label"] | null;
            /** @description All keys of the report by their CMCD names: numbers, texts, lists of them. */
            keys?: unknown;
            /** @description CMCD `sid`: one viewing of one video, the same as `video_view_uuid`. */
            sid: components["schemas"]["Label"];
            /**
             * Format: double
             * @description CMCD `sn`: the report's number within its viewing.
             */
            sn: number;
            sta?: components["schemas"]["Label"] | null;
            stream_id?: components["schemas"]["Label"] | null;
            stream_type?: components["schemas"]["Label"] | null;
        };
        /** @description The six colours of a channel and whether they are dark or light. */
        ColorSettings: {
            /**
             * @description `#rrggbb`.
             * @example #ff6b2c
             */
            accent: string;
            /**
             * @description `#rrggbb`.
             * @example #0c172a
             */
            "body-background": string;
            /**
             * @description `#rrggbb`.
             * @example #f5f0e6
             */
            "body-text-color": string;
            /**
             * @description `#rrggbb`.
             * @example #070e1a
             */
            "footer-background": string;
            /**
             * @description `#rrggbb`; `header-text-color` when absent.
             * @example #f5f0e6
             */
            "footer-text-color"?: string | null;
            /**
             * @description `#rrggbb`.
             * @example #091222
             */
            "header-background": string;
            /**
             * @description `#rrggbb`.
             * @example #f5f0e6
             */
            "header-text-color": string;
            /**
             * @description `dark` or `light`.
             * @example dark
             */
            scheme: string;
        };
        /** @description What every body carries. */
        Common: {
            analytics_key?: components["schemas"]["Label"] | null;
            app_version?: components["schemas"]["Label"] | null;
            channel?: components["schemas"]["Label"] | null;
            country?: components["schemas"]["Label"] | null;
            language?: components["schemas"]["Label"] | null;
            origin_url?: components["schemas"]["Label"] | null;
            referrer?: components["schemas"]["Label"] | null;
            trk?: components["schemas"]["Label"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description What of the channel was watched, beside the media that played. */
        Content: {
            content_event_id?: components["schemas"]["Label"] | null;
            content_id?: components["schemas"]["Label"] | null;
            content_type?: components["schemas"]["Label"] | null;
        };
        /** @description A content page. */
        ContentPage: {
            /**
             * @description For links.
             * @example about
             */
            alt_name: string;
            /**
             * @description Paragraphs of Markdown (headings, lists, links, emphasis); only in `GET /pages/{id}`.
             * @example Northfield Sports Network shows school and college sports of the upper Midwest.
             */
            content?: string | null;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description Its title.
             * @example About
             */
            name: string;
            /**
             * @description Its path on the site, e.g. `/about`.
             * @example /about
             */
            url: string;
        };
        /** @description What a promo code takes off, for `GET /apply_coupon`. */
        Coupon: {
            /**
             * Format: int64
             * @description Minor units.
             * @example 8900
             */
            base_price: number;
            /**
             * @description The code, as it is kept.
             * @example KICKOFF20
             */
            code: string;
            /**
             * @description ISO 4217.
             * @example USD
             */
            currency: string;
            /**
             * Format: int64
             * @description Minor units, rounded half up once, never more than `base_price`.
             * @example 1780
             */
            discount: number;
            /**
             * Format: int64
             * @description Minor units.
             * @example 650
             */
            service_fee: number;
            /**
             * Format: int64
             * @description `base_price` − `discount` + `service_fee`.
             * @example 7770
             */
            total: number;
        };
        /** @description What something costs now: in a failure `price_changed`, in the place of what the buyer was shown. */
        CurrentPrice: {
            /**
             * Format: int64
             * @description Minor units.
             * @example 8900
             */
            base_price: number;
            /**
             * @description ISO 4217.
             * @example USD
             */
            currency: string;
            /**
             * Format: int64
             * @description What the promo code takes off, minor units.
             * @example 1780
             */
            discount: number;
            /** @description The promo code, as it is kept. */
            promo_code?: string | null;
            /**
             * Format: int64
             * @description What each renewal of a subscription costs in all, minor units.
             */
            renewal_price?: number | null;
            /**
             * Format: int64
             * @description Minor units.
             * @example 650
             */
            service_fee: number;
            /**
             * Format: int64
             * @description What is paid at once: `base_price` − `discount` + `service_fee`.
             * @example 7770
             */
            total: number;
            /**
             * Format: int64
             * @description Free days of a trial.
             */
            trial_days?: number | null;
        };
        /** @description The answer of `GET /stripe/customer-portal`. */
        CustomerPortal: {
            /**
             * @description Where cards and invoices are managed.
             * @example http://127.0.0.1:8080/profile
             */
            url: string;
        };
        /** @description A form of the channel, fetched by alias. */
        CustomForm: {
            /**
             * @description E.g. `contact`.
             * @example contact
             */
            alias: string;
            /** @description What it asks for. */
            fields: components["schemas"]["CustomFormField"][];
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description Its title.
             * @example Write to us
             */
            name: string;
        };
        /** @description One field of a form. */
        CustomFormField: {
            /**
             * @description What it says.
             * @example What it is about
             */
            label: string;
            /**
             * @description Its key.
             * @example topic
             */
            name: string;
            /**
             * @description The choices of a `select`.
             * @example [
             *       "Watching",
             *       "Paying",
             *       "Clips",
             *       "Something else"
             *     ]
             */
            options?: string[];
            /**
             * @description Whether it must be filled in.
             * @example true
             */
            required: boolean;
            /**
             * @description `text`, `email`, `phone`, `textarea` or `select`.
             * @example select
             */
            type: string;
        };
        /** @description A success: always status 200. */
        Data_Access: {
            /** @description The answer of `GET /user/access`. */
            data: {
                /**
                 * @description May make clips.
                 * @example true
                 */
                clipping: boolean;
                /**
                 * @description May download events.
                 * @example false
                 */
                download: boolean;
                /**
                 * @description May download clips.
                 * @example true
                 */
                download_clip: boolean;
                /**
                 * @description Categories they own through packages.
                 * @example [
                 *       10,
                 *       20
                 *     ]
                 */
                event_categories: number[];
                /**
                 * @description Events they own singly.
                 * @example [
                 *       11
                 *     ]
                 */
                events: number[];
                /**
                 * @description Sees no prerolls.
                 * @example false
                 */
                no_ads: boolean;
                /**
                 * @description Teams they own passes for.
                 * @example [
                 *       101
                 *     ]
                 */
                participants: number[];
                /**
                 * @description Whether an active subscription opens everything.
                 * @example false
                 */
                subscribed: boolean;
                /**
                 * @description May watch the library.
                 * @example true
                 */
                vod_media_access: boolean;
                /**
                 * @description May watch what they own.
                 * @example true
                 */
                watch: boolean;
            };
        };
        /** @description A success: always status 200. */
        Data_ApiKey: {
            /** @description A key that every other call carries. */
            data: {
                /**
                 * @description Opaque; the worker stores its hash alone.
                 * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
                 */
                api_key: string;
            };
        };
        /** @description A success: always status 200. */
        Data_BatchAnswer: {
            /** @description The answer of `POST /datalake/batch`. */
            data: {
                /** @description One result for each event, in the order in which they were sent. */
                results: components["schemas"]["EventResult"][];
            };
        };
        /** @description A success: always status 200. */
        Data_Bootstrap: {
            /** @description Everything static of a channel in one answer. */
            data: {
                /** @description As `GET /color-settings/web`. */
                "color-settings": components["schemas"]["ColorSettings"];
                /** @description As `GET /events-categories`. */
                "events-categories": components["schemas"]["EventCategory"][];
                /** @description As `GET /events-locations`. */
                "events-locations": components["schemas"]["EventLocation"][];
                /** @description As `GET /faq`. */
                faq: components["schemas"]["Faq"][];
                /** @description As `GET /menu`. */
                menu: components["schemas"]["Menu"];
                /** @description As `GET /packages`. */
                packages: components["schemas"]["Package"][];
                /** @description As `GET /pages`. */
                pages: components["schemas"]["ContentPage"][];
                /** @description As `GET /participant-group-properties`. */
                "participant-group-properties": components["schemas"]["ParticipantGroupProperty"][];
                /** @description As `GET /participant-groups`. */
                "participant-groups": components["schemas"]["ParticipantGroup"][];
                /** @description As `GET /settings`. */
                settings: components["schemas"]["Settings"];
                /** @description As `GET /slides/web`, all types. */
                slides: components["schemas"]["Slide"][];
                /** @description As `GET /subscriptions`. */
                subscriptions: components["schemas"]["Subscription"][];
            };
        };
        /** @description A success: always status 200. */
        Data_Clip: {
            /** @description A clip. */
            data: {
                /**
                 * @description When it was asked for, RFC 3339 UTC.
                 * @example 2026-11-21T18:00:00.000Z
                 */
                created_at: string;
                /**
                 * Format: double
                 * @description Seconds.
                 * @example 8
                 */
                duration: number;
                event?: components["schemas"]["Event"] | null;
                /**
                 * Format: int64
                 * @description The event that it is cut from; absent for the library's.
                 * @example 25
                 */
                event_id?: number | null;
                /**
                 * Format: int64
                 * @description The media it is cut from.
                 * @example 253
                 */
                event_media_id: number;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Whether the channel's operator hid it: nobody is shown its video.
                 * @example false
                 */
                is_hidden?: boolean;
                /**
                 * @description Its name.
                 * @example The winning goal
                 */
                name: string;
                /**
                 * Format: double
                 * @description Seconds from the start of the media.
                 * @example 4
                 */
                start_time: number;
                /** @description How far it has come. */
                status: components["schemas"]["ClipStatus"];
                /**
                 * @description Its tags.
                 * @example [
                 *       "goal"
                 *     ]
                 */
                tags: string[];
                /**
                 * @description The address of the playlist, when ready. It holds the `uuid`, which opens it: whoever has the link may watch.
                 * @example /media/northfield/c/9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135/index.m3u8
                 */
                url?: string | null;
                /**
                 * @description The shared clip's address is `/share/{id}/{uuid}`.
                 * @example 9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135
                 */
                uuid: string;
                /**
                 * Format: int64
                 * @description Grows with each change.
                 * @example 3
                 */
                version: number;
                video?: components["schemas"]["VodMediaItem"] | null;
                /** @description Who may find it. */
                visibility?: components["schemas"]["ClipVisibility"];
                /**
                 * Format: int64
                 * @description The video of the library that it is cut from.
                 * @example 2
                 */
                vod_id?: number | null;
            };
        };
        /** @description A success: always status 200. */
        Data_ColorSettings: {
            /** @description The six colours of a channel and whether they are dark or light. */
            data: {
                /**
                 * @description `#rrggbb`.
                 * @example #ff6b2c
                 */
                accent: string;
                /**
                 * @description `#rrggbb`.
                 * @example #0c172a
                 */
                "body-background": string;
                /**
                 * @description `#rrggbb`.
                 * @example #f5f0e6
                 */
                "body-text-color": string;
                /**
                 * @description `#rrggbb`.
                 * @example #070e1a
                 */
                "footer-background": string;
                /**
                 * @description `#rrggbb`; `header-text-color` when absent.
                 * @example #f5f0e6
                 */
                "footer-text-color"?: string | null;
                /**
                 * @description `#rrggbb`.
                 * @example #091222
                 */
                "header-background": string;
                /**
                 * @description `#rrggbb`.
                 * @example #f5f0e6
                 */
                "header-text-color": string;
                /**
                 * @description `dark` or `light`.
                 * @example dark
                 */
                scheme: string;
            };
        };
        /** @description A success: always status 200. */
        Data_ContentPage: {
            /** @description A content page. */
            data: {
                /**
                 * @description For links.
                 * @example about
                 */
                alt_name: string;
                /**
                 * @description Paragraphs of Markdown (headings, lists, links, emphasis); only in `GET /pages/{id}`.
                 * @example Northfield Sports Network shows school and college sports of the upper Midwest.
                 */
                content?: string | null;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Its title.
                 * @example About
                 */
                name: string;
                /**
                 * @description Its path on the site, e.g. `/about`.
                 * @example /about
                 */
                url: string;
            };
        };
        /** @description A success: always status 200. */
        Data_Coupon: {
            /** @description What a promo code takes off, for `GET /apply_coupon`. */
            data: {
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 8900
                 */
                base_price: number;
                /**
                 * @description The code, as it is kept.
                 * @example KICKOFF20
                 */
                code: string;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * Format: int64
                 * @description Minor units, rounded half up once, never more than `base_price`.
                 * @example 1780
                 */
                discount: number;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 650
                 */
                service_fee: number;
                /**
                 * Format: int64
                 * @description `base_price` − `discount` + `service_fee`.
                 * @example 7770
                 */
                total: number;
            };
        };
        /** @description A success: always status 200. */
        Data_CustomerPortal: {
            /** @description The answer of `GET /stripe/customer-portal`. */
            data: {
                /**
                 * @description Where cards and invoices are managed.
                 * @example http://127.0.0.1:8080/profile
                 */
                url: string;
            };
        };
        /** @description A success: always status 200. */
        Data_CustomForm: {
            /** @description A form of the channel, fetched by alias. */
            data: {
                /**
                 * @description E.g. `contact`.
                 * @example contact
                 */
                alias: string;
                /** @description What it asks for. */
                fields: components["schemas"]["CustomFormField"][];
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Its title.
                 * @example Write to us
                 */
                name: string;
            };
        };
        /** @description A success: always status 200. */
        Data_Device: {
            /** @description A device that is logged in. */
            data: {
                /**
                 * @description When it was linked or logged in, RFC 3339 UTC.
                 * @example 2026-11-21T18:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description Whether it is the one that asks.
                 * @example true
                 */
                current: boolean;
                /**
                 * Format: int64
                 * @description Its id, for revoking.
                 * @example 1
                 */
                id: number;
                /**
                 * @description When it last asked for something, RFC 3339 UTC.
                 * @example 2026-11-21T19:30:00.000Z
                 */
                last_seen_at: string;
                /**
                 * @description What it calls itself, from its user agent.
                 * @example Firefox on Linux
                 */
                name: string;
            };
        };
        /** @description A success: always status 200. */
        Data_Done: {
            /** @description The answer of a call that has nothing to tell but that it is done. */
            data: {
                /**
                 * @description Always true.
                 * @example true
                 */
                ok: boolean;
            };
        };
        /** @description A success: always status 200. */
        Data_Download: {
            /** @description Where a file can be had, by the viewer who asked and while their session lasts. */
            data: {
                /**
                 * @description Signed.
                 * @example /media/northfield/d/e11/1795306500000-3-7-c2lnbmF0dXJl/download.mp4
                 */
                download_url: string;
                /**
                 * Format: int64
                 * @description Until when it works, Unix seconds.
                 * @example 1795328100
                 */
                expires: number;
            };
        };
        /** @description A success: always status 200. */
        Data_Event: {
            /** @description An event: one game, meet or show. */
            data: {
                /** @description What a viewer needs to watch it. */
                access_type: components["schemas"]["AccessType"];
                /**
                 * Format: int64
                 * @description Minor units; 0 when it is not sold singly.
                 * @example 0
                 */
                base_price: number;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * @description A few sentences.
                 * @example Women’s basketball, Lakeshore Conference. Bell Harbor travel to Harbor City.
                 */
                description?: string;
                /**
                 * Format: int64
                 * @description How long it lasts (or lasted), seconds.
                 * @example 7627
                 */
                duration_s: number;
                /**
                 * Format: int64
                 * @description Its category.
                 * @example 11
                 */
                event_category_id: number;
                /**
                 * Format: int64
                 * @description When it starts, Unix seconds.
                 * @example 1795110300
                 */
                event_utc_ts: number;
                /**
                 * @description Whether the asking viewer may watch it now.
                 * @example true
                 */
                has_access: boolean;
                /**
                 * Format: int64
                 * @description Which of the participants is at home.
                 * @example 102
                 */
                home_team_id?: number | null;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 25
                 */
                id: number;
                /**
                 * @description Whether it is closed to where the asking viewer is: it is neither shown nor sold to them. In a status frame, which
                 *     goes to everyone, it is as for a viewer of whom nobody knows where they are.
                 * @example false
                 */
                is_geo_blocked?: boolean;
                /**
                 * Format: int64
                 * @description Its place.
                 * @example 1
                 */
                location_id: number;
                /** @description Pictures and videos. A URL of paid media is signed, and there only with access. */
                media: components["schemas"]["Media"][];
                /**
                 * @description Its name. With two participants the site shows "away short name @ home short name" instead.
                 * @example Bell Harbor Comets at Harbor City Gulls
                 */
                name: string;
                /** @description The teams, away first. */
                participants: components["schemas"]["Participant"][];
                score?: components["schemas"]["EventScore"] | null;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 0
                 */
                service_fee: number;
                /**
                 * Format: int64
                 * @description What buying it singly is called with; absent when it is not sold singly.
                 */
                single_event_package_id?: number | null;
                /** @description Where it stands. */
                stream_status: components["schemas"]["StreamStatus"];
                /**
                 * @description IANA time zone of its place.
                 * @example America/Chicago
                 */
                time_zone: string;
                /** @description What its listing says it is; see [`EventType`]. */
                type: components["schemas"]["EventType"];
                /**
                 * Format: int64
                 * @description Since when the event is as it is, Unix seconds: it grows with each move by the clock and each change.
                 * @example 1795117927
                 */
                version: number;
            };
        };
        /** @description A success: always status 200. */
        Data_EventResult: {
            /** @description What became of one event. */
            data: {
                /**
                 * @description The id that was sent.
                 * @example 01a1fdda-7948-7cbd-a16c-df02a4c6044a
                 */
                id: string;
                /** @description What became of it. */
                outcome: components["schemas"]["Outcome"];
                /** @description Why, when it was not taken: a `snake_case` code, for some followed by `: ` and what is wrong. */
                reason?: string | null;
            };
        };
        /** @description A success: always status 200. */
        Data_EventStarts: {
            /** @description When the events of a list start. */
            data: {
                /**
                 * @description Unix seconds, one for each event, ascending.
                 * @example [
                 *       1795110300,
                 *       1795117500
                 *     ]
                 */
                starts: number[];
            };
        };
        /** @description A success: always status 200. */
        Data_Favorite: {
            /** @description One favourite of the viewer. */
            data: {
                /**
                 * Format: int64
                 * @description The id of what is marked.
                 * @example 101
                 */
                favoritable_id: number;
                /** @description What kind of thing is marked. */
                favoritable_type: components["schemas"]["FavoritableType"];
                /**
                 * Format: int64
                 * @description Its id, for `DELETE /favorite/{id}`.
                 * @example 1
                 */
                id: number;
            };
        };
        /** @description A success: always status 200. */
        Data_Geo: {
            /** @description Where the viewer is taken to be. */
            data: {
                /**
                 * @description Name of the country; empty when unknown.
                 * @example United States
                 */
                country: string;
                /**
                 * @description ISO 3166-1 alpha-2; empty when unknown.
                 * @example US
                 */
                country_code: string;
                /**
                 * @description The viewer's address.
                 * @example 203.0.113.7
                 */
                ip: string;
                /**
                 * @description Whether the channel's video is closed to that place.
                 * @example false
                 */
                is_geo_blocked: boolean;
            };
        };
        /** @description A success: always status 200. */
        Data_Menu: {
            /** @description The site's menus. */
            data: {
                /** @description Links in the footer. */
                footer?: components["schemas"]["MenuLink"][];
                /** @description Schools. */
                groups?: components["schemas"]["MenuItem"][];
                /** @description Links in the header. */
                header?: components["schemas"]["MenuLink"][];
                /** @description Teams. */
                participants?: components["schemas"]["MenuItem"][];
            };
        };
        /** @description A success: always status 200. */
        Data_Order: {
            /** @description An order. */
            data: {
                /** @description Whether what was bought can be used now. */
                activity_status: components["schemas"]["ActivityStatus"];
                /**
                 * Format: int64
                 * @description Minor units, before discount and fee.
                 * @example 8900
                 */
                base_price: number;
                /**
                 * @description When it was placed, RFC 3339 UTC with milliseconds.
                 * @example 2026-11-21T18:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * Format: int64
                 * @description Minor units, never more than `base_price`.
                 * @example 1780
                 */
                discount: number;
                /** @description Why it failed, for the viewer. */
                failure?: string | null;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                next_action?: components["schemas"]["NextAction"] | null;
                /** @description What it is of. */
                product: components["schemas"]["Product"];
                /**
                 * Format: int64
                 * @description What was given back, minor units; absent when nothing was.
                 * @example 0
                 */
                refunded_minor?: number;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 650
                 */
                service_fee: number;
                /** @description Where it stands. */
                status: components["schemas"]["OrderStatus"];
                subscription?: components["schemas"]["SubscriptionState"] | null;
                /**
                 * Format: int64
                 * @description `base_price` − `discount` + `service_fee`.
                 * @example 7770
                 */
                total: number;
                /** @description What is bought. */
                type: components["schemas"]["OrderType"];
                /**
                 * Format: int64
                 * @description Grows with each change.
                 * @example 2
                 */
                version: number;
            };
        };
        /** @description A success: always status 200. */
        Data_Package: {
            /** @description A package: many events for one price. */
            data: {
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 8900
                 */
                base_price: number;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * @description A sentence.
                 * @example Every basketball and hockey event of the winter, live and on demand.
                 */
                description?: string;
                /**
                 * @description Categories that the asking viewer already has: the package is purchased when they cover all of its own.
                 * @example [
                 *       10
                 *     ]
                 */
                disabled_categories?: number[];
                /**
                 * @description Teams that the asking viewer already has a pass for: a team pass is purchased when they are all of its own.
                 * @example []
                 */
                disabled_participants?: number[];
                /**
                 * @description The categories it covers, with everything below them.
                 * @example [
                 *       10,
                 *       20
                 *     ]
                 */
                event_categories: number[];
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Whether it is for one team, to be chosen.
                 * @example false
                 */
                is_team_pass: boolean;
                /**
                 * @description Its name.
                 * @example Kestrels winter pass
                 */
                name: string;
                /**
                 * @description What it offers, e.g. `season`.
                 * @example season
                 */
                offer?: string;
                /**
                 * @description The teams that can be chosen, of a team pass.
                 * @example []
                 */
                participants?: number[];
                /**
                 * @description How long it lasts, e.g. `season`, `month`, `day`.
                 * @example season
                 */
                period?: string;
                /**
                 * Format: int64
                 * @description How long it lasts, days; 0 for ever.
                 * @example 150
                 */
                period_days?: number;
                /**
                 * Format: int64
                 * @description What it costs in all, minor units: `base_price` and `service_fee`.
                 * @example 9550
                 */
                price: number;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 650
                 */
                service_fee: number;
                /**
                 * @description `package`, `pass` (sold as a season or team pass) or `single_event`.
                 * @example pass
                 */
                type: string;
                /**
                 * Format: int64
                 * @description Lower stands first.
                 * @example 1
                 */
                weight: number;
            };
        };
        /** @description A success: always status 200. */
        Data_PaymentMethod: {
            /** @description The answer of `POST /stripe/sandbox-card`. */
            data: {
                /**
                 * @description For [`Buy::payment_method_id`].
                 * @example pm_1
                 */
                payment_method_id: string;
            };
        };
        /** @description A success: always status 200. */
        Data_Playback: {
            /** @description Where a viewer watches something: an address of their own, which ends with their session. */
            data: {
                /**
                 * Format: int64
                 * @description Until when it works, Unix seconds; absent where it does not end.
                 * @example 1795328100
                 */
                expires?: number | null;
                /**
                 * @description For a player.
                 * @example /media/northfield/s/e11/1795306500000-3-7-c2lnbmF0dXJl/master.m3u8
                 */
                playback_url: string;
            };
        };
        /** @description A success: always status 200. */
        Data_PlaybackPosition: {
            /** @description Where a person stands in one recording: an answer of `GET /playback`, and the body of `POST /playback`. */
            data: {
                /**
                 * Format: int64
                 * @description When it stood there, Unix milliseconds by the device's clock; one that is ahead of the worker's counts as now.
                 * @example 1767225600000
                 */
                at: number;
                /**
                 * Format: int64
                 * @description How long all of it is, milliseconds.
                 * @example 5400000
                 */
                duration_ms: number;
                /**
                 * Format: int64
                 * @description The id of the event or of the library's video.
                 * @example 25
                 */
                id: number;
                /** @description What kind of thing is watched. */
                kind: components["schemas"]["WatchedKind"];
                /**
                 * Format: int64
                 * @description Where it stands, milliseconds from the start.
                 * @example 61500
                 */
                position_ms: number;
            };
        };
        /** @description A success: always status 200. */
        Data_Profile: {
            /** @description A person, as they see themselves. */
            data: {
                /**
                 * @description Of `watch`, `download`, `clipping`, `download_clip`, `no_ads`, `vod_media`.
                 * @example [
                 *       "watch",
                 *       "clipping",
                 *       "download_clip",
                 *       "vod_media"
                 *     ]
                 */
                capabilities: string[];
                /**
                 * @description Their address.
                 * @example robin.hale@viewers.example
                 */
                email: string;
                /**
                 * @description Whether the address was verified.
                 * @example true
                 */
                email_verified: boolean;
                /** @description What they used. */
                featureCount: components["schemas"]["FeatureCount"];
                /**
                 * @description Their first name.
                 * @example Robin
                 */
                first_name: string;
                /**
                 * Format: int64
                 * @description Their id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Whether the channel's video is closed to where they are.
                 * @example false
                 */
                is_geo_blocked: boolean;
                /**
                 * @description Their last name.
                 * @example Hale
                 */
                last_name: string;
                /**
                 * @description Their phone number; empty when not given.
                 * @example +1 (555) 123-4567
                 */
                phone?: string;
                /**
                 * @description Whether the password must be changed before anything else.
                 * @example false
                 */
                temporary_password: boolean;
                /**
                 * @description Whether a trial was ever started.
                 * @example false
                 */
                trial_period_used: boolean;
            };
        };
        /** @description A success: always status 200. */
        Data_ReportReceipt: {
            /** @description The id under which a problem report is kept. */
            data: {
                /**
                 * @description To be told to support.
                 * @example 01a1fdda-7948-7cbd-a16c-df02a4c6044a
                 */
                id: string;
            };
        };
        /** @description A success: always status 200. */
        Data_SearchResults: {
            /** @description What a search finds, a list a kind, best match first. `meta.total` of each counts all that was found. */
            data: {
                /** @description Clips that everyone may find, of the newest 500. */
                clips: components["schemas"]["Page_Clip"];
                /** @description Events. */
                events: components["schemas"]["Page_Event"];
                /** @description Pages, without their content. */
                pages: components["schemas"]["Page_ContentPage"];
                /** @description Schools. */
                participant_groups: components["schemas"]["Page_ParticipantGroup"];
                /** @description Teams. */
                participants: components["schemas"]["Page_Participant"];
                /** @description Videos of the library. */
                vod_media_items: components["schemas"]["Page_VodMediaItem"];
            };
        };
        /** @description A success: always status 200. */
        Data_Session: {
            /** @description The answer of login and registration: the key that replaces the one that was sent, and who it is for. */
            data: {
                /**
                 * @description The new API key; the old one no longer works.
                 * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
                 */
                api_key: string;
                /** @description Whose it is. */
                user: components["schemas"]["Profile"];
            };
        };
        /** @description A success: always status 200. */
        Data_SessionCode: {
            /** @description The answer of `POST /auth/session_code`, asked by a device without a keyboard. */
            data: {
                /**
                 * @description To be shown; entered at `/profile/sessions/add`.
                 * @example 7QK4XM
                 */
                code: string;
                /**
                 * Format: int64
                 * @description Until when it works, Unix seconds.
                 * @example 1795284600
                 */
                expires: number;
            };
        };
        /** @description A success: always status 200. */
        Data_Settings: {
            /** @description The channel's settings. */
            data: {
                /** @description Whether nothing is recorded without the viewer's consent, and whether Do-Not-Track silences them. */
                analytics?: components["schemas"]["AnalyticsSettings"];
                /** @description Logging in. */
                auth: components["schemas"]["AuthSettings"];
                /** @description Clips. */
                clips?: components["schemas"]["ClipSettings"];
                /**
                 * @description ISO 4217; `USD` when the channel says nothing.
                 * @example USD
                 */
                currency: string;
                /** @description The tag manager's container, such as `GTM-ABC1234`. */
                "google-analytics"?: string | null;
                /**
                 * @description `en` or `fr`.
                 * @example en
                 */
                language: string;
                /**
                 * @description URL of its logo.
                 * @example /media/northfield/logo.svg
                 */
                logo?: string;
                /**
                 * @description The channel's name, e.g. `Northfield Sports Network`.
                 * @example Northfield Sports Network
                 */
                name: string;
                /**
                 * Format: int32
                 * @description For how long a preroll that a viewer saw is not shown to them before the same event again, seconds.
                 *     An hour when it is absent.
                 * @example 3600
                 */
                preroll_period_s?: number | null;
                /**
                 * Format: int32
                 * @description From which second on a preroll may be skipped; absent: never.
                 * @example 5
                 */
                preroll_skip_after_s?: number | null;
                /** @description The prerolls. */
                prerolls?: components["schemas"]["Preroll"][];
                /** @description The site key of reCAPTCHA, when it is on. */
                recaptcha_site_key?: string | null;
                /**
                 * @description Whether payments are `sandbox`: no money moves, and the site says so.
                 * @example true
                 */
                sandbox_payments?: boolean;
                seller?: components["schemas"]["Seller"] | null;
                /**
                 * @description Its short name, e.g. `Northfield`.
                 * @example Northfield
                 */
                short_name: string;
                /**
                 * @description Whether `/simulate` is offered.
                 * @example true
                 */
                simulate?: boolean;
                /**
                 * @description Texts by name, for fixed places on the site.
                 * @example {
                 *       "footer": "Times are shown in your time zone."
                 *     }
                 */
                static_blocks?: {
                    [key: string]: string;
                };
                /** @description Stripe's publishable key, when payments are Stripe's. */
                stripe_publishable_key?: string | null;
                /** @description What stands for Stripe's script; absent: Stripe's own. */
                stripe_script_url?: string | null;
                /** @description The calls that nobody answers, by their paths: what needs one is not offered. Only in front of an upstream. */
                switched_off?: string[] | null;
                /**
                 * @description What stands under the short name, e.g. `Sports Network`.
                 * @example Sports Network
                 */
                tagline?: string;
                /**
                 * @description IANA name; times are shown in it when the viewer's is unknown.
                 * @example America/Chicago
                 */
                time_zone?: string;
                /**
                 * @description The channel's analytics key, without which nothing is recorded.
                 * @example northfield-demo
                 */
                "yare-analytics"?: string | null;
            };
        };
        /** @description A success: always status 200. */
        Data_SetupIntent: {
            /** @description The answer of `POST /stripe/setup-intent`. */
            data: {
                /**
                 * @description What a card is entered against.
                 * @example seti_1_secret_1
                 */
                client_secret: string;
            };
        };
        /** @description A success: always status 200. */
        Data_SocialStart: {
            /** @description Where a social login begins. */
            data: {
                /**
                 * @description The provider's page, to which the viewer is sent.
                 * @example https://accounts.google.com/o/oauth2/v2/auth?client_id=northfield&state=b3BlbiBzZXNhbWU
                 */
                url: string;
            };
        };
        /** @description A success: always status 200. */
        Data_String: {
            data: string;
        };
        /** @description A success: always status 200. */
        Data_Subscription: {
            /** @description A subscription that can be bought. */
            data: {
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 1199
                 */
                base_price: number;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * @description A sentence.
                 * @example All sports and the whole library. 7 days free, then every 30 days.
                 */
                description?: string;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Its name.
                 * @example Monthly subscription
                 */
                name: string;
                /**
                 * @description `annual` or `monthly`.
                 * @example monthly
                 */
                offer: string;
                /**
                 * @description `annual`, `month` or `monthly`.
                 * @example monthly
                 */
                period: string;
                /**
                 * Format: int64
                 * @description What one period costs in all, minor units.
                 * @example 1299
                 */
                price: number;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 100
                 */
                service_fee: number;
                /**
                 * Format: int64
                 * @description Free days before the first payment; 0 for none.
                 * @example 7
                 */
                trial_period: number;
                /**
                 * Format: int64
                 * @description Lower stands first.
                 * @example 1
                 */
                weight: number;
            };
        };
        /** @description A success: always status 200. */
        Data_VodMediaItem: {
            /** @description A video of the library. */
            data: {
                /** @description What a viewer needs to watch it. */
                access_type: components["schemas"]["AccessType"];
                /** @description Pictures and previews. */
                assets: components["schemas"]["VodAsset"][];
                /**
                 * Format: int64
                 * @description Its category in the library.
                 * @example 1
                 */
                category_id?: number | null;
                /**
                 * @description `#rrggbb`, of that poster.
                 * @example #1f4a96
                 */
                color?: string;
                /**
                 * @description When it was published, RFC 3339 UTC.
                 * @example 2026-11-17T18:00:00.000Z
                 */
                date: string;
                /**
                 * @description A few sentences.
                 * @example The ten best plays of the week, chosen by the coaches.
                 */
                description?: string;
                /**
                 * Format: double
                 * @description How long it is, seconds.
                 * @example 40
                 */
                duration_s: number;
                /**
                 * @description A large figure for its poster, when it has no picture, e.g. `10`.
                 * @example 10
                 */
                figure?: string;
                /**
                 * @description Whether the asking viewer may watch it now.
                 * @example true
                 */
                has_access: boolean;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Whether it is closed to where the asking viewer is.
                 * @example false
                 */
                is_geo_blocked?: boolean;
                media?: components["schemas"]["Media"] | null;
                /**
                 * @description Its title.
                 * @example Ten plays of the week
                 */
                title: string;
            };
        };
        /** @description A device that is logged in. */
        Device: {
            /**
             * @description When it was linked or logged in, RFC 3339 UTC.
             * @example 2026-11-21T18:00:00.000Z
             */
            created_at: string;
            /**
             * @description Whether it is the one that asks.
             * @example true
             */
            current: boolean;
            /**
             * Format: int64
             * @description Its id, for revoking.
             * @example 1
             */
            id: number;
            /**
             * @description When it last asked for something, RFC 3339 UTC.
             * @example 2026-11-21T19:30:00.000Z
             */
            last_seen_at: string;
            /**
             * @description What it calls itself, from its user agent.
             * @example Firefox on Linux
             */
            name: string;
        };
        /** @description The answer of a call that has nothing to tell but that it is done. */
        Done: {
            /**
             * @description Always true.
             * @example true
             */
            ok: boolean;
        };
        /** @description Where a file can be had, by the viewer who asked and while their session lasts. */
        Download: {
            /**
             * @description Signed.
             * @example /media/northfield/d/e11/1795306500000-3-7-c2lnbmF0dXJl/download.mp4
             */
            download_url: string;
            /**
             * Format: int64
             * @description Until when it works, Unix seconds.
             * @example 1795328100
             */
            expires: number;
        };
        /** @description Body of `POST /error-log`: a request that failed in a browser. */
        ErrorLogLine: {
            /**
             * @description When it failed, RFC 3339 UTC. Of this and every other text the log keeps the first 500 characters at most.
             * @example 2026-11-21T18:00:00Z
             */
            date: string;
            /**
             * @description What was said.
             * @example Something went wrong.
             */
            message: string;
            /** @description The request id of the answer, when there was one. */
            request_id?: string | null;
            /**
             * Format: int32
             * @description The HTTP status, 0 when there was no answer.
             * @example 503
             */
            status: number;
            /**
             * @description What was asked, without its keys.
             * @example /api/events
             */
            url: string;
        };
        /** @description An event: one game, meet or show. */
        Event: {
            /** @description What a viewer needs to watch it. */
            access_type: components["schemas"]["AccessType"];
            /**
             * Format: int64
             * @description Minor units; 0 when it is not sold singly.
             * @example 0
             */
            base_price: number;
            /**
             * @description ISO 4217.
             * @example USD
             */
            currency: string;
            /**
             * @description A few sentences.
             * @example Women’s basketball, Lakeshore Conference. Bell Harbor travel to Harbor City.
             */
            description?: string;
            /**
             * Format: int64
             * @description How long it lasts (or lasted), seconds.
             * @example 7627
             */
            duration_s: number;
            /**
             * Format: int64
             * @description Its category.
             * @example 11
             */
            event_category_id: number;
            /**
             * Format: int64
             * @description When it starts, Unix seconds.
             * @example 1795110300
             */
            event_utc_ts: number;
            /**
             * @description Whether the asking viewer may watch it now.
             * @example true
             */
            has_access: boolean;
            /**
             * Format: int64
             * @description Which of the participants is at home.
             * @example 102
             */
            home_team_id?: number | null;
            /**
             * Format: int64
             * @description Its id.
             * @example 25
             */
            id: number;
            /**
             * @description Whether it is closed to where the asking viewer is: it is neither shown nor sold to them. In a status frame, which
             *     goes to everyone, it is as for a viewer of whom nobody knows where they are.
             * @example false
             */
            is_geo_blocked?: boolean;
            /**
             * Format: int64
             * @description Its place.
             * @example 1
             */
            location_id: number;
            /** @description Pictures and videos. A URL of paid media is signed, and there only with access. */
            media: components["schemas"]["Media"][];
            /**
             * @description Its name. With two participants the site shows "away short name @ home short name" instead.
             * @example Bell Harbor Comets at Harbor City Gulls
             */
            name: string;
            /** @description The teams, away first. */
            participants: components["schemas"]["Participant"][];
            score?: components["schemas"]["EventScore"] | null;
            /**
             * Format: int64
             * @description Minor units.
             * @example 0
             */
            service_fee: number;
            /**
             * Format: int64
             * @description What buying it singly is called with; absent when it is not sold singly.
             */
            single_event_package_id?: number | null;
            /** @description Where it stands. */
            stream_status: components["schemas"]["StreamStatus"];
            /**
             * @description IANA time zone of its place.
             * @example America/Chicago
             */
            time_zone: string;
            /** @description What its listing says it is; see [`EventType`]. */
            type: components["schemas"]["EventType"];
            /**
             * Format: int64
             * @description Since when the event is as it is, Unix seconds: it grows with each move by the clock and each change.
             * @example 1795117927
             */
            version: number;
        };
        /**
         * @description Body of `/datalake/event/`.
         * @example {
         *       "event": "visit",
         *       "profile": "p-1",
         *       "session_uuid": "s-1",
         *       "extras": {
         *         "page": "/"
         *       }
         *     }
         */
        EventBody: components["schemas"]["Viewer"] & components["schemas"]["Common"] & {
            /** @description What happened, such as `visit`, `purchase`. */
            event: components["schemas"]["Label"];
            /** @description What belongs to this kind of event: any JSON, mostly an object; it is kept as it was sent. */
            extras?: unknown;
        };
        /** @description A node of the category tree; a top one is a sport. */
        EventCategory: {
            /**
             * @description For links.
             * @example basketball
             */
            alias: string;
            /**
             * @description The nodes below it.
             * @example [
             *       {
             *         "id": 11,
             *         "name": "Women’s",
             *         "alias": "womens-basketball",
             *         "sport": "basketball",
             *         "children": []
             *       }
             *     ]
             */
            children?: components["schemas"]["EventCategory"][];
            /**
             * Format: int64
             * @description Its id.
             * @example 10
             */
            id: number;
            /**
             * @description Its name.
             * @example Basketball
             */
            name: string;
            /**
             * @description Which floor markings its posters have: `basketball`, `hockey`, `volleyball`, `soccer`, `football`, `wrestling`, …
             * @example basketball
             */
            sport?: string;
        };
        /** @description A place. */
        EventLocation: {
            /**
             * @description E.g. `Northfield`.
             * @example Northfield
             */
            city: string;
            /**
             * @description ISO 3166-1 alpha-2.
             * @example US
             */
            country_code: string;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description E.g. `Kestrel Fieldhouse`.
             * @example Kestrel Fieldhouse
             */
            name: string;
            /**
             * @description E.g. `MN`.
             * @example MN
             */
            state: string;
            /**
             * @description IANA name.
             * @example America/Chicago
             */
            time_zone: string;
        };
        /** @description What became of one event. */
        EventResult: {
            /**
             * @description The id that was sent.
             * @example 01a1fdda-7948-7cbd-a16c-df02a4c6044a
             */
            id: string;
            /** @description What became of it. */
            outcome: components["schemas"]["Outcome"];
            /** @description Why, when it was not taken: a `snake_case` code, for some followed by `: ` and what is wrong. */
            reason?: string | null;
        };
        /** @description How an event of two teams stands, or ended (`SCORE-1`). */
        EventScore: {
            /**
             * Format: int64
             * @description Of the team that is not at home: the first of the participants, or the second where the first is at home.
             * @example 2
             */
            away: number;
            /**
             * Format: int64
             * @description Of the team at home.
             * @example 3
             */
            home: number;
            /**
             * @description Which part of the game it is of, in the channel's words; empty when nothing is said.
             * @example 3rd period
             */
            period?: string;
        };
        /** @description When the events of a list start. */
        EventStarts: {
            /**
             * @description Unix seconds, one for each event, ascending.
             * @example [
             *       1795110300,
             *       1795117500
             *     ]
             */
            starts: number[];
        };
        /**
         * @description What a listing says an event is.
         * @example other
         * @enum {string}
         */
        EventType: "paid" | "other";
        /** @description A failure. */
        Failure: {
            /**
             * @description What happened, for a program: `snake_case`, stable. `already_bought` (the viewer has it already), `already_logged_in` (the key belongs to somebody already), `already_verified` (the address was verified before), `api_key` (no API key, or one that is unknown, revoked or of another channel), `card_declined` (the card is no test card, and payments are a sandbox's), `card_in_use` (a subscription renews with the card; another one has to be chosen for it first), `card_not_selected` (neither a saved card nor a new one was named), `channel_key` (no such channel), `email_taken` (the address belongs to an account), `email_unverified` (the account's address must be verified first), `failed` (an operator's verb failed; the message says why), `forbidden` (not theirs to do), `geo_blocked` (closed to the viewer's region), `id_not_selected` (nothing was named to buy), `idempotency_conflict` (the Idempotency-Key was used with another body), `idempotency_key_required` (the Idempotency-Key is missing), `incorrect_number` (the card's number is none), `internal` (a fault of the worker's), `invalid` (a value is out of what the call takes), `invalid_cvc` (the card's security code is none), `invalid_expiry` (the card has expired, or its date is none), `malformed` (the request cannot be read; `errors` says where), `media_ended` (the session or the right that the address was given under has ended; whoever may still watch asks for another), `media_expired` (the signed address is too old; whoever may watch asks for another), `media_shared` (too many networks use the signed address at once), `media_timed_out` (the host that the video is pulled from does not answer in time; worth trying again: `Retry-After`), `media_unavailable` (the host that the video is pulled from fails; worth trying again: `Retry-After`), `media_unsigned` (the video is open to signed addresses alone), `method_not_allowed` (the path has no such method), `no_space` (the disk takes no write at the moment; worth trying again: `Retry-After`), `no_trial` (the subscription has no trial), `not_confirmed` (whether the purchase was made is not known, and it is not sent again; a new key buys anew), `not_found` (unknown, or another's), `not_paid` (the order was not paid), `not_public` (clips of this can be shared by link alone), `not_registered` (a social log-in of somebody without an account), `over_budget` (the address sent an hour's bytes of analytics: `Retry-After`), `price_changed` (the price is not the one that was shown; `price` is the one that is asked for now), `queue_full` (events are taken later: `Retry-After`), `recaptcha_invalid` (reCAPTCHA refuses the token), `recaptcha_required` (the channel asks for a reCAPTCHA token), `reset_expired` (the link is too old, or was used), `reset_failed` (the link's signature is wrong), `setup_intent_unusable` (the card's set-up is unknown, or was used), `switched_off` (the upstream has no such call, and this worker cannot stand for it), `team_not_selected` (the package is a team's, and none was named), `temporary_password` (the password must be changed first), `token` (an operator's verb without the data folder's token), `too_large` (the body is larger than the call takes), `too_many` (too often: `Retry-After`), `too_many_clips` (the account has as many clips as it may), `too_many_favorites` (the account has as many favourites as it may), `too_slow` (the body took longer to arrive than the worker waits), `trial_used` (the account had its trial), `unauthenticated` (a call for people, made without one), `unavailable` (something that the call needs does not answer; worth trying again), `unknown_host` (no channel is shown under this host), `user_not_found` (the account is gone), `validation` (a rule refuses a field; `errors` says which), `verification_failed` (the link's signature or time is wrong), `wrong_auth_data` (the social log-in was refused), `wrong_code` (the device code is none, or too old), `wrong_login` (the address or the password is wrong), `wrong_password` (the present password is wrong), `wrong_promo_code` (the promo code is none, or not for this).
             * @example not_found
             */
            code: string;
            /** @description What is wrong with which field; empty when no field is to blame. */
            errors?: {
                [key: string]: string[];
            };
            /** @description What happened, for a person; from the error catalogue. */
            message: string;
            price?: components["schemas"]["CurrentPrice"] | null;
        };
        /** @description A question and its answer. */
        Faq: {
            /**
             * @description Markdown.
             * @example A current browser on a phone, tablet, computer or television.
             */
            answer: string;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description What is asked.
             * @example What do I need to watch?
             */
            question: string;
            /**
             * @description The heading it stands under.
             * @example Watching
             */
            section?: string;
        };
        /**
         * @description What kind of thing is a favourite.
         * @enum {string}
         */
        FavoritableType: "participant" | "group" | "category";
        /** @description One favourite of the viewer. */
        Favorite: {
            /**
             * Format: int64
             * @description The id of what is marked.
             * @example 101
             */
            favoritable_id: number;
            /** @description What kind of thing is marked. */
            favoritable_type: components["schemas"]["FavoritableType"];
            /**
             * Format: int64
             * @description Its id, for `DELETE /favorite/{id}`.
             * @example 1
             */
            id: number;
        };
        /** @description How often a right was used. */
        FeatureCount: {
            /**
             * Format: int64
             * @description Clips made.
             * @example 3
             */
            clips: number;
            /**
             * Format: int64
             * @description Files downloaded.
             * @example 1
             */
            downloads: number;
        };
        /** @description Body of `POST /custom-forms/{alias}`. */
        FormSubmission: {
            /**
             * @description What was entered, by the fields' names; of one field 5,000 characters at most.
             * @example {
             *       "name": "Robin Hale",
             *       "email": "robin@viewers.example",
             *       "topic": "Watching",
             *       "message": "The sound stops after a minute."
             *     }
             */
            answers: {
                [key: string]: string;
            };
        };
        /** @description Where the viewer is taken to be. */
        Geo: {
            /**
             * @description Name of the country; empty when unknown.
             * @example United States
             */
            country: string;
            /**
             * @description ISO 3166-1 alpha-2; empty when unknown.
             * @example US
             */
            country_code: string;
            /**
             * @description The viewer's address.
             * @example 203.0.113.7
             */
            ip: string;
            /**
             * @description Whether the channel's video is closed to that place.
             * @example false
             */
            is_geo_blocked: boolean;
        };
        /** @description Body of `POST /get_api_key`. */
        GetApiKey: {
            /**
             * @description The channel's key.
             * @example northfield
             */
            channel_key: string;
        };
        /** @description A rail of events on the home page. */
        HomeRail: {
            /** @description The first of them. */
            events: components["schemas"]["Event"][];
            /**
             * @description `live`, `upcoming`, `finished` or a category's alias.
             * @example finished
             */
            id: string;
            /**
             * @description What stands above it; empty for the three statuses, which the site names itself.
             * @example
             */
            title?: string;
            /**
             * Format: int64
             * @description How many there are in all.
             * @example 1
             */
            total: number;
        };
        /** @description A short text, or a number that is read as one: ids are numbers here and text there. */
        Label: components["schemas"]["LabelText"];
        /** @description How a [`Label`] is sent. */
        LabelText: string | number;
        /** @description A login through another site that opens the person's account. */
        LinkedLogin: {
            /**
             * Format: date-time
             * @description Since when it opens the account.
             * @example 2026-11-21T18:00:00.000Z
             */
            linked_at: string;
            /**
             * @description `google` or `facebook`.
             * @example google
             */
            provider: string;
        };
        /** @description Body of `POST /v2/auth/login`. */
        Login: {
            /**
             * @description The account's address.
             * @example demo@northfield.example
             */
            email?: string;
            /**
             * Format: password
             * @description Its password.
             * @example touchline
             */
            password?: string;
            /** @description The reCAPTCHA token, when the channel asks for one. */
            recaptcha_token?: string | null;
        };
        /**
         * @description Body of `POST /clip`.
         * @example {
         *       "event_id": 25,
         *       "event_media_id": 253,
         *       "name": "The winning goal",
         *       "start_time": 4,
         *       "duration": 8,
         *       "tags": [
         *         "goal"
         *       ],
         *       "visibility": "link"
         *     }
         */
        MakeClip: {
            /**
             * Format: double
             * @description Seconds; at most 600, and not past the media's end.
             * @example 8
             */
            duration: number;
            /**
             * Format: int64
             * @description The event that the clip is cut from: its recording, or the window of its live stream. Absent for the library's.
             * @example 25
             */
            event_id?: number | null;
            /**
             * Format: int64
             * @description The event's or the video's media (see [`crate::catalogue::Media`]) that is cut.
             * @example 253
             */
            event_media_id: number;
            /**
             * Format: int64
             * @description Of a live stream: the number (media sequence) of the segment that `start_time` counts from.
             * @example 512
             */
            from_segment?: number | null;
            /**
             * @description 1 to 100 characters.
             * @example The winning goal
             */
            name: string;
            /**
             * Format: double
             * @description Seconds from the start of the media.
             * @example 4
             */
            start_time: number;
            /**
             * @description 1 to 10 tags of 1 to 50 characters.
             * @example [
             *       "goal"
             *     ]
             */
            tags: string[];
            /** @description Who may find it; by link when absent. */
            visibility?: components["schemas"]["ClipVisibility"];
            /**
             * Format: int64
             * @description The video of the library that the clip is cut from. Exactly one of the two is there.
             * @example 2
             */
            vod_id?: number | null;
        };
        /** @description Body of `POST /favorite`. The type is checked by the rules, not by the schema: a wrong one has a message of its own. */
        MarkFavorite: {
            /**
             * Format: int64
             * @description The id of the participant, group or category.
             * @example 101
             */
            favoritable_id: number;
            /**
             * @description `participant` (team), `group` or `participant_group` (school), `category` or `event_category` (sport).
             * @example participant
             */
            favoritable_type: string;
        };
        /** @description A picture or a video. */
        Media: {
            /**
             * Format: double
             * @description How long it is, seconds; 0 for a picture or a live stream.
             * @example 40
             */
            duration_s?: number;
            /**
             * Format: int64
             * @description Its id (`event_media_id` of a clip).
             * @example 253
             */
            id: number;
            /**
             * @description Whether clips can be cut out of it, by who may (`clipping`): of a live stream, out of its window.
             * @example true
             */
            is_clippable?: boolean;
            /**
             * @description Whether it can be had as one file, by who may (`download`).
             * @example true
             */
            is_downloadable?: boolean;
            /**
             * @description Whether it is on and the viewer may watch it under an address of their own, which is asked for by itself.
             * @example true
             */
            is_protected?: boolean;
            picture?: components["schemas"]["PictureFacts"] | null;
            /**
             * Format: int32
             * @description 1 image, 2 live, 3 vod, 4 embedded, 5 thumbnails, 6 preview, 7 preview_alt, 8 embedded_preview.
             * @example 3
             */
            type: number;
            /**
             * @description Where it is, when everyone may know. Absent where the viewer has no access, and where it is protected.
             * @example /media/northfield/s/e253/open/master.m3u8
             */
            url?: string | null;
        };
        /** @description The site's menus. */
        Menu: {
            /** @description Links in the footer. */
            footer?: components["schemas"]["MenuLink"][];
            /** @description Schools. */
            groups?: components["schemas"]["MenuItem"][];
            /** @description Links in the header. */
            header?: components["schemas"]["MenuLink"][];
            /** @description Teams. */
            participants?: components["schemas"]["MenuItem"][];
        };
        /** @description A school or a team in a menu. */
        MenuItem: {
            /**
             * @description For the link's query.
             * @example northfield
             */
            alias: string;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description URLs.
             * @example [
             *       "/media/northfield/crests/northfield.svg"
             *     ]
             */
            images?: string[];
            /**
             * @description What it says.
             * @example Northfield
             */
            name: string;
        };
        /** @description A link in a menu. */
        MenuLink: {
            /**
             * @description What it says.
             * @example Schedule
             */
            name: string;
            /**
             * @description Where it leads, a path of the site.
             * @example /schedule
             */
            url: string;
        };
        /** @description Where a part of a list stands in the whole. */
        Meta: {
            /**
             * Format: int64
             * @description How many were asked for at most; equal to `total` when no limit was given.
             * @example 1
             */
            limit: number;
            /**
             * Format: int64
             * @description How many were left out before the first one.
             * @example 0
             */
            offset: number;
            /**
             * Format: int64
             * @description How many items there are in all.
             * @example 1
             */
            total: number;
        };
        /** @description A moment: RFC 3339 with an offset, or Unix milliseconds. Written as RFC 3339 UTC with milliseconds. */
        Moment: components["schemas"]["MomentText"];
        /** @description How a [`Moment`] is written. */
        MomentText: string | number;
        /** @description What the browser must do before a payment goes on. */
        NextAction: {
            /**
             * @description Of the payment intent; a secret, kept out of state.
             * @example sandbox_7f3a
             */
            client_secret: string;
            /**
             * @description `confirm`: show the bank's question and confirm with `client_secret`.
             * @example confirm
             */
            type: string;
        };
        /** @description The body of a call that takes nothing but the key. */
        Nothing: Record<string, never>;
        /** @description An order. */
        Order: {
            /** @description Whether what was bought can be used now. */
            activity_status: components["schemas"]["ActivityStatus"];
            /**
             * Format: int64
             * @description Minor units, before discount and fee.
             * @example 8900
             */
            base_price: number;
            /**
             * @description When it was placed, RFC 3339 UTC with milliseconds.
             * @example 2026-11-21T18:00:00.000Z
             */
            created_at: string;
            /**
             * @description ISO 4217.
             * @example USD
             */
            currency: string;
            /**
             * Format: int64
             * @description Minor units, never more than `base_price`.
             * @example 1780
             */
            discount: number;
            /** @description Why it failed, for the viewer. */
            failure?: string | null;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            next_action?: components["schemas"]["NextAction"] | null;
            /** @description What it is of. */
            product: components["schemas"]["Product"];
            /**
             * Format: int64
             * @description What was given back, minor units; absent when nothing was.
             * @example 0
             */
            refunded_minor?: number;
            /**
             * Format: int64
             * @description Minor units.
             * @example 650
             */
            service_fee: number;
            /** @description Where it stands. */
            status: components["schemas"]["OrderStatus"];
            subscription?: components["schemas"]["SubscriptionState"] | null;
            /**
             * Format: int64
             * @description `base_price` − `discount` + `service_fee`.
             * @example 7770
             */
            total: number;
            /** @description What is bought. */
            type: components["schemas"]["OrderType"];
            /**
             * Format: int64
             * @description Grows with each change.
             * @example 2
             */
            version: number;
        };
        /**
         * @description Where an order stands: created, then paid, failed or refunded.
         * @example paid
         * @enum {string}
         */
        OrderStatus: "created" | "failed" | "paid" | "refunded";
        /**
         * @description What is bought.
         * @example package
         * @enum {string}
         */
        OrderType: "event" | "package" | "subscription";
        /**
         * @description What became of one event. Only `retry` asks the sender to keep it.
         * @enum {string}
         */
        Outcome: "accepted" | "duplicate" | "rejected" | "retry";
        /** @description A package: many events for one price. */
        Package: {
            /**
             * Format: int64
             * @description Minor units.
             * @example 8900
             */
            base_price: number;
            /**
             * @description ISO 4217.
             * @example USD
             */
            currency: string;
            /**
             * @description A sentence.
             * @example Every basketball and hockey event of the winter, live and on demand.
             */
            description?: string;
            /**
             * @description Categories that the asking viewer already has: the package is purchased when they cover all of its own.
             * @example [
             *       10
             *     ]
             */
            disabled_categories?: number[];
            /**
             * @description Teams that the asking viewer already has a pass for: a team pass is purchased when they are all of its own.
             * @example []
             */
            disabled_participants?: number[];
            /**
             * @description The categories it covers, with everything below them.
             * @example [
             *       10,
             *       20
             *     ]
             */
            event_categories: number[];
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description Whether it is for one team, to be chosen.
             * @example false
             */
            is_team_pass: boolean;
            /**
             * @description Its name.
             * @example Kestrels winter pass
             */
            name: string;
            /**
             * @description What it offers, e.g. `season`.
             * @example season
             */
            offer?: string;
            /**
             * @description The teams that can be chosen, of a team pass.
             * @example []
             */
            participants?: number[];
            /**
             * @description How long it lasts, e.g. `season`, `month`, `day`.
             * @example season
             */
            period?: string;
            /**
             * Format: int64
             * @description How long it lasts, days; 0 for ever.
             * @example 150
             */
            period_days?: number;
            /**
             * Format: int64
             * @description What it costs in all, minor units: `base_price` and `service_fee`.
             * @example 9550
             */
            price: number;
            /**
             * Format: int64
             * @description Minor units.
             * @example 650
             */
            service_fee: number;
            /**
             * @description `package`, `pass` (sold as a season or team pass) or `single_event`.
             * @example pass
             */
            type: string;
            /**
             * Format: int64
             * @description Lower stands first.
             * @example 1
             */
            weight: number;
        };
        /** @description What a package opens of what is live or to come while it lasts, for whoever buys it now (`PKG-4`). */
        PackageContent: {
            /**
             * Format: int64
             * @description How many events that are paid for.
             * @example 14
             */
            events: number;
            /**
             * Format: int64
             * @description The package.
             * @example 2
             */
            package_id: number;
            /**
             * Format: int64
             * @description The team that is chosen, of a team pass.
             * @example 108
             */
            participant_id?: number | null;
            /**
             * Format: int64
             * @description What those of them cost in all that are sold singly too, with their fees, minor units.
             * @example 12026
             */
            singly: number;
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Card: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description E.g. `visa`.
                 * @example visa
                 */
                brand: string;
                /**
                 * @description Whether the last payment with it was refused: no site offers it first.
                 * @example false
                 */
                declined?: boolean;
                /**
                 * Format: int32
                 * @description 1 to 12.
                 * @example 12
                 */
                exp_month: number;
                /**
                 * Format: int32
                 * @description Four digits.
                 * @example 2040
                 */
                exp_year: number;
                /**
                 * @description For `payment_method_id`.
                 * @example pm_1
                 */
                id: string;
                /**
                 * @description Whether it is offered first.
                 * @example true
                 */
                is_default?: boolean;
                /**
                 * @description The last four digits.
                 * @example 4242
                 */
                last4: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Clip: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description When it was asked for, RFC 3339 UTC.
                 * @example 2026-11-21T18:00:00.000Z
                 */
                created_at: string;
                /**
                 * Format: double
                 * @description Seconds.
                 * @example 8
                 */
                duration: number;
                event?: components["schemas"]["Event"] | null;
                /**
                 * Format: int64
                 * @description The event that it is cut from; absent for the library's.
                 * @example 25
                 */
                event_id?: number | null;
                /**
                 * Format: int64
                 * @description The media it is cut from.
                 * @example 253
                 */
                event_media_id: number;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Whether the channel's operator hid it: nobody is shown its video.
                 * @example false
                 */
                is_hidden?: boolean;
                /**
                 * @description Its name.
                 * @example The winning goal
                 */
                name: string;
                /**
                 * Format: double
                 * @description Seconds from the start of the media.
                 * @example 4
                 */
                start_time: number;
                /** @description How far it has come. */
                status: components["schemas"]["ClipStatus"];
                /**
                 * @description Its tags.
                 * @example [
                 *       "goal"
                 *     ]
                 */
                tags: string[];
                /**
                 * @description The address of the playlist, when ready. It holds the `uuid`, which opens it: whoever has the link may watch.
                 * @example /media/northfield/c/9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135/index.m3u8
                 */
                url?: string | null;
                /**
                 * @description The shared clip's address is `/share/{id}/{uuid}`.
                 * @example 9f6a2c1e-3d0b-4a57-8e21-c4b7d9f0a135
                 */
                uuid: string;
                /**
                 * Format: int64
                 * @description Grows with each change.
                 * @example 3
                 */
                version: number;
                video?: components["schemas"]["VodMediaItem"] | null;
                /** @description Who may find it. */
                visibility?: components["schemas"]["ClipVisibility"];
                /**
                 * Format: int64
                 * @description The video of the library that it is cut from.
                 * @example 2
                 */
                vod_id?: number | null;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_ContentPage: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description For links.
                 * @example about
                 */
                alt_name: string;
                /**
                 * @description Paragraphs of Markdown (headings, lists, links, emphasis); only in `GET /pages/{id}`.
                 * @example Northfield Sports Network shows school and college sports of the upper Midwest.
                 */
                content?: string | null;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Its title.
                 * @example About
                 */
                name: string;
                /**
                 * @description Its path on the site, e.g. `/about`.
                 * @example /about
                 */
                url: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Device: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description When it was linked or logged in, RFC 3339 UTC.
                 * @example 2026-11-21T18:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description Whether it is the one that asks.
                 * @example true
                 */
                current: boolean;
                /**
                 * Format: int64
                 * @description Its id, for revoking.
                 * @example 1
                 */
                id: number;
                /**
                 * @description When it last asked for something, RFC 3339 UTC.
                 * @example 2026-11-21T19:30:00.000Z
                 */
                last_seen_at: string;
                /**
                 * @description What it calls itself, from its user agent.
                 * @example Firefox on Linux
                 */
                name: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Event: {
            /** @description The items, in order. */
            data: {
                /** @description What a viewer needs to watch it. */
                access_type: components["schemas"]["AccessType"];
                /**
                 * Format: int64
                 * @description Minor units; 0 when it is not sold singly.
                 * @example 0
                 */
                base_price: number;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * @description A few sentences.
                 * @example Women’s basketball, Lakeshore Conference. Bell Harbor travel to Harbor City.
                 */
                description?: string;
                /**
                 * Format: int64
                 * @description How long it lasts (or lasted), seconds.
                 * @example 7627
                 */
                duration_s: number;
                /**
                 * Format: int64
                 * @description Its category.
                 * @example 11
                 */
                event_category_id: number;
                /**
                 * Format: int64
                 * @description When it starts, Unix seconds.
                 * @example 1795110300
                 */
                event_utc_ts: number;
                /**
                 * @description Whether the asking viewer may watch it now.
                 * @example true
                 */
                has_access: boolean;
                /**
                 * Format: int64
                 * @description Which of the participants is at home.
                 * @example 102
                 */
                home_team_id?: number | null;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 25
                 */
                id: number;
                /**
                 * @description Whether it is closed to where the asking viewer is: it is neither shown nor sold to them. In a status frame, which
                 *     goes to everyone, it is as for a viewer of whom nobody knows where they are.
                 * @example false
                 */
                is_geo_blocked?: boolean;
                /**
                 * Format: int64
                 * @description Its place.
                 * @example 1
                 */
                location_id: number;
                /** @description Pictures and videos. A URL of paid media is signed, and there only with access. */
                media: components["schemas"]["Media"][];
                /**
                 * @description Its name. With two participants the site shows "away short name @ home short name" instead.
                 * @example Bell Harbor Comets at Harbor City Gulls
                 */
                name: string;
                /** @description The teams, away first. */
                participants: components["schemas"]["Participant"][];
                score?: components["schemas"]["EventScore"] | null;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 0
                 */
                service_fee: number;
                /**
                 * Format: int64
                 * @description What buying it singly is called with; absent when it is not sold singly.
                 */
                single_event_package_id?: number | null;
                /** @description Where it stands. */
                stream_status: components["schemas"]["StreamStatus"];
                /**
                 * @description IANA time zone of its place.
                 * @example America/Chicago
                 */
                time_zone: string;
                /** @description What its listing says it is; see [`EventType`]. */
                type: components["schemas"]["EventType"];
                /**
                 * Format: int64
                 * @description Since when the event is as it is, Unix seconds: it grows with each move by the clock and each change.
                 * @example 1795117927
                 */
                version: number;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_EventCategory: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description For links.
                 * @example basketball
                 */
                alias: string;
                /**
                 * @description The nodes below it.
                 * @example [
                 *       {
                 *         "id": 11,
                 *         "name": "Women’s",
                 *         "alias": "womens-basketball",
                 *         "sport": "basketball",
                 *         "children": []
                 *       }
                 *     ]
                 */
                children?: components["schemas"]["EventCategory"][];
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 10
                 */
                id: number;
                /**
                 * @description Its name.
                 * @example Basketball
                 */
                name: string;
                /**
                 * @description Which floor markings its posters have: `basketball`, `hockey`, `volleyball`, `soccer`, `football`, `wrestling`, …
                 * @example basketball
                 */
                sport?: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_EventLocation: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description E.g. `Northfield`.
                 * @example Northfield
                 */
                city: string;
                /**
                 * @description ISO 3166-1 alpha-2.
                 * @example US
                 */
                country_code: string;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description E.g. `Kestrel Fieldhouse`.
                 * @example Kestrel Fieldhouse
                 */
                name: string;
                /**
                 * @description E.g. `MN`.
                 * @example MN
                 */
                state: string;
                /**
                 * @description IANA name.
                 * @example America/Chicago
                 */
                time_zone: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Faq: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description Markdown.
                 * @example A current browser on a phone, tablet, computer or television.
                 */
                answer: string;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description What is asked.
                 * @example What do I need to watch?
                 */
                question: string;
                /**
                 * @description The heading it stands under.
                 * @example Watching
                 */
                section?: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Favorite: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: int64
                 * @description The id of what is marked.
                 * @example 101
                 */
                favoritable_id: number;
                /** @description What kind of thing is marked. */
                favoritable_type: components["schemas"]["FavoritableType"];
                /**
                 * Format: int64
                 * @description Its id, for `DELETE /favorite/{id}`.
                 * @example 1
                 */
                id: number;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_HomeRail: {
            /** @description The items, in order. */
            data: {
                /** @description The first of them. */
                events: components["schemas"]["Event"][];
                /**
                 * @description `live`, `upcoming`, `finished` or a category's alias.
                 * @example finished
                 */
                id: string;
                /**
                 * @description What stands above it; empty for the three statuses, which the site names itself.
                 * @example
                 */
                title?: string;
                /**
                 * Format: int64
                 * @description How many there are in all.
                 * @example 1
                 */
                total: number;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_LinkedLogin: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: date-time
                 * @description Since when it opens the account.
                 * @example 2026-11-21T18:00:00.000Z
                 */
                linked_at: string;
                /**
                 * @description `google` or `facebook`.
                 * @example google
                 */
                provider: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Order: {
            /** @description The items, in order. */
            data: {
                /** @description Whether what was bought can be used now. */
                activity_status: components["schemas"]["ActivityStatus"];
                /**
                 * Format: int64
                 * @description Minor units, before discount and fee.
                 * @example 8900
                 */
                base_price: number;
                /**
                 * @description When it was placed, RFC 3339 UTC with milliseconds.
                 * @example 2026-11-21T18:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * Format: int64
                 * @description Minor units, never more than `base_price`.
                 * @example 1780
                 */
                discount: number;
                /** @description Why it failed, for the viewer. */
                failure?: string | null;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                next_action?: components["schemas"]["NextAction"] | null;
                /** @description What it is of. */
                product: components["schemas"]["Product"];
                /**
                 * Format: int64
                 * @description What was given back, minor units; absent when nothing was.
                 * @example 0
                 */
                refunded_minor?: number;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 650
                 */
                service_fee: number;
                /** @description Where it stands. */
                status: components["schemas"]["OrderStatus"];
                subscription?: components["schemas"]["SubscriptionState"] | null;
                /**
                 * Format: int64
                 * @description `base_price` − `discount` + `service_fee`.
                 * @example 7770
                 */
                total: number;
                /** @description What is bought. */
                type: components["schemas"]["OrderType"];
                /**
                 * Format: int64
                 * @description Grows with each change.
                 * @example 2
                 */
                version: number;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Package: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 8900
                 */
                base_price: number;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * @description A sentence.
                 * @example Every basketball and hockey event of the winter, live and on demand.
                 */
                description?: string;
                /**
                 * @description Categories that the asking viewer already has: the package is purchased when they cover all of its own.
                 * @example [
                 *       10
                 *     ]
                 */
                disabled_categories?: number[];
                /**
                 * @description Teams that the asking viewer already has a pass for: a team pass is purchased when they are all of its own.
                 * @example []
                 */
                disabled_participants?: number[];
                /**
                 * @description The categories it covers, with everything below them.
                 * @example [
                 *       10,
                 *       20
                 *     ]
                 */
                event_categories: number[];
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Whether it is for one team, to be chosen.
                 * @example false
                 */
                is_team_pass: boolean;
                /**
                 * @description Its name.
                 * @example Kestrels winter pass
                 */
                name: string;
                /**
                 * @description What it offers, e.g. `season`.
                 * @example season
                 */
                offer?: string;
                /**
                 * @description The teams that can be chosen, of a team pass.
                 * @example []
                 */
                participants?: number[];
                /**
                 * @description How long it lasts, e.g. `season`, `month`, `day`.
                 * @example season
                 */
                period?: string;
                /**
                 * Format: int64
                 * @description How long it lasts, days; 0 for ever.
                 * @example 150
                 */
                period_days?: number;
                /**
                 * Format: int64
                 * @description What it costs in all, minor units: `base_price` and `service_fee`.
                 * @example 9550
                 */
                price: number;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 650
                 */
                service_fee: number;
                /**
                 * @description `package`, `pass` (sold as a season or team pass) or `single_event`.
                 * @example pass
                 */
                type: string;
                /**
                 * Format: int64
                 * @description Lower stands first.
                 * @example 1
                 */
                weight: number;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_PackageContent: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: int64
                 * @description How many events that are paid for.
                 * @example 14
                 */
                events: number;
                /**
                 * Format: int64
                 * @description The package.
                 * @example 2
                 */
                package_id: number;
                /**
                 * Format: int64
                 * @description The team that is chosen, of a team pass.
                 * @example 108
                 */
                participant_id?: number | null;
                /**
                 * Format: int64
                 * @description What those of them cost in all that are sold singly too, with their fees, minor units.
                 * @example 12026
                 */
                singly: number;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Participant: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description For links.
                 * @example harbor-city-womens-basketball
                 */
                alias: string;
                /**
                 * @description `#rrggbb`.
                 * @example #0f7c70
                 */
                color: string;
                /**
                 * Format: int64
                 * @description The school that it belongs to.
                 * @example 2
                 */
                group_id?: number | null;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 102
                 */
                id: number;
                /**
                 * @description URLs; the first one is the crest.
                 * @example [
                 *       "/media/northfield/crests/harbor-city.svg"
                 *     ]
                 */
                images: string[];
                /**
                 * @description E.g. `Northfield Kestrels`.
                 * @example Harbor City Gulls
                 */
                name: string;
                /**
                 * @description Such as `gender` (`male`, `female`), `sport`, `league`, `nickname`.
                 * @example {
                 *       "gender": "female",
                 *       "sport": "basketball",
                 *       "league": "Lakeshore Conference",
                 *       "nickname": "Gulls"
                 *     }
                 */
                properties?: {
                    [key: string]: string;
                };
                /**
                 * @description The second colour of its kit, `#rrggbb`.
                 * @example #f5f0e6
                 */
                second_color?: string | null;
                /**
                 * @description E.g. `Northfield`.
                 * @example Harbor City
                 */
                short_name: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_ParticipantGroup: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description For links.
                 * @example harbor-city
                 */
                alias: string;
                /**
                 * @description `#rrggbb`.
                 * @example #0f7c70
                 */
                color: string;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 2
                 */
                id: number;
                /**
                 * @description URLs; the first one is the crest.
                 * @example [
                 *       "/media/northfield/crests/harbor-city.svg"
                 *     ]
                 */
                images: string[];
                /**
                 * @description E.g. `Northfield`.
                 * @example Harbor City
                 */
                name: string;
                /**
                 * @description What its teams are called, e.g. `Kestrels`.
                 * @example Gulls
                 */
                nickname?: string;
                /**
                 * @description Such as `league`, `city`, `state`.
                 * @example {
                 *       "league": "Lakeshore Conference",
                 *       "city": "Harbor City",
                 *       "state": "WI"
                 *     }
                 */
                properties?: {
                    [key: string]: string;
                };
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_ParticipantGroupProperty: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description Its key in `properties`.
                 * @example league
                 */
                key: string;
                /**
                 * @description Its name on the site.
                 * @example Conference
                 */
                name: string;
                /**
                 * @description The values that occur.
                 * @example [
                 *       "Iron Range Conference",
                 *       "Lakeshore Conference",
                 *       "Prairie Conference"
                 *     ]
                 */
                values: string[];
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_PlaybackPosition: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: int64
                 * @description When it stood there, Unix milliseconds by the device's clock; one that is ahead of the worker's counts as now.
                 * @example 1767225600000
                 */
                at: number;
                /**
                 * Format: int64
                 * @description How long all of it is, milliseconds.
                 * @example 5400000
                 */
                duration_ms: number;
                /**
                 * Format: int64
                 * @description The id of the event or of the library's video.
                 * @example 25
                 */
                id: number;
                /** @description What kind of thing is watched. */
                kind: components["schemas"]["WatchedKind"];
                /**
                 * Format: int64
                 * @description Where it stands, milliseconds from the start.
                 * @example 61500
                 */
                position_ms: number;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Popup: {
            /** @description The items, in order. */
            data: {
                /** @description What the component is given. */
                attributes?: Record<string, never>;
                /**
                 * @description Which component shows it; the query key `modal` opens one by this name.
                 * @example welcome
                 */
                component: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Slide: {
            /** @description The items, in order. */
            data: {
                /**
                 * @description What its button says.
                 * @example Event details
                 */
                button?: string;
                /**
                 * Format: int64
                 * @description The event it announces.
                 * @example 1
                 */
                event_id?: number | null;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description URL of its picture.
                 * @example /media/northfield/slides/tip-off.svg
                 */
                image?: string;
                /**
                 * @description Where its button leads, a path of the site.
                 * @example /watch/1
                 */
                link?: string;
                picture?: components["schemas"]["PictureFacts"] | null;
                /**
                 * Format: int64
                 * @description Of what the slide belongs to.
                 */
                slidable_id?: number | null;
                /** @description `category`, `participant` or `group`; absent for the main slides. */
                slidable_type?: string | null;
                /**
                 * @description A sentence under it.
                 * @example Tip-off of the Prairie Conference season, from Kestrel Fieldhouse, Northfield.
                 */
                text?: string;
                /**
                 * @description Its headline; an event's title when absent.
                 * @example
                 */
                title?: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Subscription: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 1199
                 */
                base_price: number;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * @description A sentence.
                 * @example All sports and the whole library. 7 days free, then every 30 days.
                 */
                description?: string;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Its name.
                 * @example Monthly subscription
                 */
                name: string;
                /**
                 * @description `annual` or `monthly`.
                 * @example monthly
                 */
                offer: string;
                /**
                 * @description `annual`, `month` or `monthly`.
                 * @example monthly
                 */
                period: string;
                /**
                 * Format: int64
                 * @description What one period costs in all, minor units.
                 * @example 1299
                 */
                price: number;
                /**
                 * Format: int64
                 * @description Minor units.
                 * @example 100
                 */
                service_fee: number;
                /**
                 * Format: int64
                 * @description Free days before the first payment; 0 for none.
                 * @example 7
                 */
                trial_period: number;
                /**
                 * Format: int64
                 * @description Lower stands first.
                 * @example 1
                 */
                weight: number;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_Transaction: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: int64
                 * @description Minor units, the fee within; below 0 where money went back to the viewer.
                 * @example 1299
                 */
                amount: number;
                /**
                 * @description When, RFC 3339 UTC with milliseconds.
                 * @example 2026-11-21T18:00:00.000Z
                 */
                at: string;
                /**
                 * @description E.g. `visa`.
                 * @example visa
                 */
                card_brand?: string | null;
                /**
                 * @description The last four digits.
                 * @example 4242
                 */
                card_last4?: string | null;
                /**
                 * @description ISO 4217.
                 * @example USD
                 */
                currency: string;
                /**
                 * Format: int64
                 * @description What a promo code took off, minor units.
                 * @example 0
                 */
                discount: number;
                /** @description Why it failed, for the viewer. */
                failure?: string | null;
                /**
                 * Format: int64
                 * @description The service fee within it, which holds the taxes, minor units.
                 * @example 100
                 */
                fee: number;
                /**
                 * @description Its id: `c` and the charge's, or `o` and the order's where no money was asked for.
                 * @example c12
                 */
                id: string;
                /** @description What it is about. */
                kind: components["schemas"]["TransactionKind"];
                /**
                 * @description Of money that went back: the number of the payment's receipt.
                 * @example 2026-000011
                 */
                of_receipt?: string | null;
                /**
                 * Format: int64
                 * @description The order.
                 * @example 1
                 */
                order_id: number;
                /** @description What it is of. */
                product: components["schemas"]["Product"];
                /**
                 * @description The number of its receipt, where money moved.
                 * @example 2026-000012
                 */
                receipt?: string | null;
                /**
                 * Format: int64
                 * @description Of a payment: what was given back of it, minor units.
                 * @example 0
                 */
                refunded?: number;
                /** @description How it ended. */
                status: components["schemas"]["ChargeStatus"];
                /** @description What was bought. */
                type: components["schemas"]["OrderType"];
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_VodMediaCategory: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Its title.
                 * @example Plays
                 */
                title: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_VodMediaItem: {
            /** @description The items, in order. */
            data: {
                /** @description What a viewer needs to watch it. */
                access_type: components["schemas"]["AccessType"];
                /** @description Pictures and previews. */
                assets: components["schemas"]["VodAsset"][];
                /**
                 * Format: int64
                 * @description Its category in the library.
                 * @example 1
                 */
                category_id?: number | null;
                /**
                 * @description `#rrggbb`, of that poster.
                 * @example #1f4a96
                 */
                color?: string;
                /**
                 * @description When it was published, RFC 3339 UTC.
                 * @example 2026-11-17T18:00:00.000Z
                 */
                date: string;
                /**
                 * @description A few sentences.
                 * @example The ten best plays of the week, chosen by the coaches.
                 */
                description?: string;
                /**
                 * Format: double
                 * @description How long it is, seconds.
                 * @example 40
                 */
                duration_s: number;
                /**
                 * @description A large figure for its poster, when it has no picture, e.g. `10`.
                 * @example 10
                 */
                figure?: string;
                /**
                 * @description Whether the asking viewer may watch it now.
                 * @example true
                 */
                has_access: boolean;
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Whether it is closed to where the asking viewer is.
                 * @example false
                 */
                is_geo_blocked?: boolean;
                media?: components["schemas"]["Media"] | null;
                /**
                 * @description Its title.
                 * @example Ten plays of the week
                 */
                title: string;
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A list, or the part of it that `limit` and `offset` name. */
        Page_VodRail: {
            /** @description The items, in order. */
            data: {
                /**
                 * Format: int64
                 * @description Its id.
                 * @example 1
                 */
                id: number;
                /**
                 * @description Its title.
                 * @example Plays
                 */
                title: string;
                /** @description The videos. */
                vod_media_items: components["schemas"]["VodMediaItem"][];
            }[];
            /** @description Where this part stands in the whole. */
            meta: components["schemas"]["Meta"];
        };
        /** @description A team, or whoever else takes part. */
        Participant: {
            /**
             * @description For links.
             * @example harbor-city-womens-basketball
             */
            alias: string;
            /**
             * @description `#rrggbb`.
             * @example #0f7c70
             */
            color: string;
            /**
             * Format: int64
             * @description The school that it belongs to.
             * @example 2
             */
            group_id?: number | null;
            /**
             * Format: int64
             * @description Its id.
             * @example 102
             */
            id: number;
            /**
             * @description URLs; the first one is the crest.
             * @example [
             *       "/media/northfield/crests/harbor-city.svg"
             *     ]
             */
            images: string[];
            /**
             * @description E.g. `Northfield Kestrels`.
             * @example Harbor City Gulls
             */
            name: string;
            /**
             * @description Such as `gender` (`male`, `female`), `sport`, `league`, `nickname`.
             * @example {
             *       "gender": "female",
             *       "sport": "basketball",
             *       "league": "Lakeshore Conference",
             *       "nickname": "Gulls"
             *     }
             */
            properties?: {
                [key: string]: string;
            };
            /**
             * @description The second colour of its kit, `#rrggbb`.
             * @example #f5f0e6
             */
            second_color?: string | null;
            /**
             * @description E.g. `Northfield`.
             * @example Harbor City
             */
            short_name: string;
        };
        /** @description A school: a group of participants. */
        ParticipantGroup: {
            /**
             * @description For links.
             * @example harbor-city
             */
            alias: string;
            /**
             * @description `#rrggbb`.
             * @example #0f7c70
             */
            color: string;
            /**
             * Format: int64
             * @description Its id.
             * @example 2
             */
            id: number;
            /**
             * @description URLs; the first one is the crest.
             * @example [
             *       "/media/northfield/crests/harbor-city.svg"
             *     ]
             */
            images: string[];
            /**
             * @description E.g. `Northfield`.
             * @example Harbor City
             */
            name: string;
            /**
             * @description What its teams are called, e.g. `Kestrels`.
             * @example Gulls
             */
            nickname?: string;
            /**
             * @description Such as `league`, `city`, `state`.
             * @example {
             *       "league": "Lakeshore Conference",
             *       "city": "Harbor City",
             *       "state": "WI"
             *     }
             */
            properties?: {
                [key: string]: string;
            };
        };
        /** @description A property that participant groups have, and the values it takes. */
        ParticipantGroupProperty: {
            /**
             * @description Its key in `properties`.
             * @example league
             */
            key: string;
            /**
             * @description Its name on the site.
             * @example Conference
             */
            name: string;
            /**
             * @description The values that occur.
             * @example [
             *       "Iron Range Conference",
             *       "Lakeshore Conference",
             *       "Prairie Conference"
             *     ]
             */
            values: string[];
        };
        /** @description Body of `POST /auth/password-reset`. */
        PasswordReset: components["schemas"]["SignedLink"] & {
            /**
             * Format: password
             * @description 8 to 128 characters.
             * @example correct horse
             */
            password?: string;
            /**
             * Format: password
             * @description The same once more.
             * @example correct horse
             */
            password_confirmation?: string;
        };
        /** @description Body of `POST /auth/password-reset-request`. */
        PasswordResetRequest: {
            /**
             * @description The account's address.
             * @example robin.hale@viewers.example
             */
            email?: string;
            /** @description The reCAPTCHA token, when the channel asks for one. */
            recaptcha_token?: string | null;
        };
        /** @description The answer of `POST /stripe/sandbox-card`. */
        PaymentMethod: {
            /**
             * @description For [`Buy::payment_method_id`].
             * @example pm_1
             */
            payment_method_id: string;
        };
        /** @description What is known of a photograph of the channel's (`FAST-9`): once the worker has made it smaller for somebody. */
        PictureFacts: {
            /**
             * Format: int32
             * @description Pixels.
             * @example 480
             */
            height: number;
            /**
             * @description The whole of it in 16 pixels, as a `data:` address, to stand blurred in its place. Absent where one can see through it,
             *     and where it is more than four times as high as wide.
             * @example data:image/webp;base64,UklGRjwAAABXRUJQVlA4IDAAAADQAQCdASoQAAkAAUAmJaQAA3AA/v3AgAA=
             */
            placeholder?: string | null;
            /**
             * Format: int32
             * @description Pixels, as it stands upright.
             * @example 854
             */
            width: number;
        };
        /** @description Where a viewer watches something: an address of their own, which ends with their session. */
        Playback: {
            /**
             * Format: int64
             * @description Until when it works, Unix seconds; absent where it does not end.
             * @example 1795328100
             */
            expires?: number | null;
            /**
             * @description For a player.
             * @example /media/northfield/s/e11/1795306500000-3-7-c2lnbmF0dXJl/master.m3u8
             */
            playback_url: string;
        };
        /** @description Where a person stands in one recording: an answer of `GET /playback`, and the body of `POST /playback`. */
        PlaybackPosition: {
            /**
             * Format: int64
             * @description When it stood there, Unix milliseconds by the device's clock; one that is ahead of the worker's counts as now.
             * @example 1767225600000
             */
            at: number;
            /**
             * Format: int64
             * @description How long all of it is, milliseconds.
             * @example 5400000
             */
            duration_ms: number;
            /**
             * Format: int64
             * @description The id of the event or of the library's video.
             * @example 25
             */
            id: number;
            /** @description What kind of thing is watched. */
            kind: components["schemas"]["WatchedKind"];
            /**
             * Format: int64
             * @description Where it stands, milliseconds from the start.
             * @example 61500
             */
            position_ms: number;
        };
        /** @description A popup of the channel. */
        Popup: {
            /** @description What the component is given. */
            attributes?: Record<string, never>;
            /**
             * @description Which component shows it; the query key `modal` opens one by this name.
             * @example welcome
             */
            component: string;
        };
        /** @description A spot before a video. */
        Preroll: {
            /**
             * @description Only for events in these categories or below; empty for all.
             * @example [
             *       20
             *     ]
             */
            event_categories?: number[];
            /**
             * @description For live video.
             * @example true
             */
            for_live: boolean;
            /**
             * @description For videos on demand.
             * @example true
             */
            for_vod: boolean;
            /**
             * Format: int64
             * @description Its id.
             * @example 3
             */
            id: number;
            /**
             * Format: int64
             * @description Only for events at this place.
             * @example 2
             */
            location_id?: number | null;
            /**
             * @description Of its playlist.
             * @example /media/northfield/s/p3/open/master.m3u8
             */
            url: string;
            /**
             * Format: double
             * @description How likely it is drawn, beside the others that match.
             * @example 3
             */
            weight: number;
        };
        /** @description Body of `POST /problem-report`: what a viewer chose to send. */
        ProblemReport: {
            /**
             * @description The action log, JSON Lines.
             * @example
             */
            log: string;
            /**
             * @description What the viewer wrote.
             * @example The picture froze.
             */
            note: string;
            /**
             * @description The page's path, without query.
             * @example /watch/1
             */
            page: string;
            /**
             * @description The last request ids, newest first; they lead into the worker's traces.
             * @example [
             *       "019a1b2c"
             *     ]
             */
            request_ids: string[];
        };
        /** @description What an order is of. */
        Product: {
            /**
             * Format: int64
             * @description The event's category.
             */
            event_category_id?: number | null;
            /**
             * Format: int64
             * @description Of the event, package or subscription.
             * @example 1
             */
            id: number;
            /**
             * @description Its name when it was bought.
             * @example Kestrels winter pass
             */
            name: string;
            /**
             * Format: int64
             * @description The team of a team pass.
             */
            participant_id?: number | null;
        };
        /** @description A person, as they see themselves. */
        Profile: {
            /**
             * @description Of `watch`, `download`, `clipping`, `download_clip`, `no_ads`, `vod_media`.
             * @example [
             *       "watch",
             *       "clipping",
             *       "download_clip",
             *       "vod_media"
             *     ]
             */
            capabilities: string[];
            /**
             * @description Their address.
             * @example robin.hale@viewers.example
             */
            email: string;
            /**
             * @description Whether the address was verified.
             * @example true
             */
            email_verified: boolean;
            /** @description What they used. */
            featureCount: components["schemas"]["FeatureCount"];
            /**
             * @description Their first name.
             * @example Robin
             */
            first_name: string;
            /**
             * Format: int64
             * @description Their id.
             * @example 1
             */
            id: number;
            /**
             * @description Whether the channel's video is closed to where they are.
             * @example false
             */
            is_geo_blocked: boolean;
            /**
             * @description Their last name.
             * @example Hale
             */
            last_name: string;
            /**
             * @description Their phone number; empty when not given.
             * @example +1 (555) 123-4567
             */
            phone?: string;
            /**
             * @description Whether the password must be changed before anything else.
             * @example false
             */
            temporary_password: boolean;
            /**
             * @description Whether a trial was ever started.
             * @example false
             */
            trial_period_used: boolean;
        };
        /** @description Body of `POST /profile`: what is absent stays. */
        ProfileUpdate: {
            /**
             * @description Must be `patch`.
             * @example patch
             */
            _method?: string;
            /**
             * Format: password
             * @description The present password, to change the address or the password.
             */
            current_password?: string | null;
            /** @description A new address is to be verified anew; needs `current_password`. */
            email?: string | null;
            /**
             * @description 1 to 100 characters.
             * @example Robin
             */
            first_name?: string | null;
            /**
             * @description 1 to 100 characters.
             * @example Hale
             */
            last_name?: string | null;
            /**
             * Format: password
             * @description A new password, 8 to 128 characters; every other key of the person stops working.
             */
            password?: string | null;
            /**
             * Format: password
             * @description The same once more.
             */
            password_confirmation?: string | null;
            /**
             * @description Optional plus sign, then 10 to 14 digits with separators; empty to remove it.
             * @example +1 (555) 123-4567
             */
            phone?: string | null;
        };
        /** @description Body of `POST /v2/auth/register`. */
        Register: {
            /**
             * @description An address of the standard shape.
             * @example robin.hale@viewers.example
             */
            email?: string;
            /**
             * @description 1 to 100 characters.
             * @example Robin
             */
            first_name?: string;
            /**
             * @description 1 to 100 characters.
             * @example Hale
             */
            last_name?: string;
            /**
             * Format: password
             * @description 8 to 128 characters.
             * @example correct horse
             */
            password?: string;
            /**
             * Format: password
             * @description The same once more.
             * @example correct horse
             */
            password_confirmation?: string;
            /** @description The reCAPTCHA token, when the channel asks for one. */
            recaptcha_token?: string | null;
            /**
             * @description Must be true.
             * @example true
             */
            terms?: boolean;
        };
        /** @description The id under which a problem report is kept. */
        ReportReceipt: {
            /**
             * @description To be told to support.
             * @example 01a1fdda-7948-7cbd-a16c-df02a4c6044a
             */
            id: string;
        };
        /** @description Body of `POST /stripe/sandbox-card`; exists only with sandbox payments. */
        SandboxCard: {
            /**
             * @description Of the setup intent.
             * @example seti_1_secret_1
             */
            client_secret: string;
            /**
             * @description Three or four digits.
             * @example 123
             */
            cvc: string;
            /**
             * @description `MM/YY`.
             * @example 12/40
             */
            exp: string;
            /**
             * @description One of Stripe's test numbers.
             * @example 4242 4242 4242 4242
             */
            number: string;
        };
        /**
         * @description Body of `POST /stripe/sandbox-confirm {order_id, client_secret, accept}`; exists only with sandbox payments: the answer to the
         *     bank's question that Stripe's JS would show.
         */
        SandboxConfirm: {
            /**
             * @description Whether the viewer said yes.
             * @example true
             */
            accept: boolean;
            /**
             * @description Of [`NextAction`].
             * @example sandbox_7f3a
             */
            client_secret: string;
        };
        /** @description Body of `POST /stripe/save-card`. */
        SaveCard: {
            /** @description Whether it is offered first from now on. */
            is_default?: boolean | null;
            /**
             * @description A card that was entered, or one of `list-cards`.
             * @example pm_1
             */
            payment_method_id: string;
        };
        /** @description What a search finds, a list a kind, best match first. `meta.total` of each counts all that was found. */
        SearchResults: {
            /** @description Clips that everyone may find, of the newest 500. */
            clips: components["schemas"]["Page_Clip"];
            /** @description Events. */
            events: components["schemas"]["Page_Event"];
            /** @description Pages, without their content. */
            pages: components["schemas"]["Page_ContentPage"];
            /** @description Schools. */
            participant_groups: components["schemas"]["Page_ParticipantGroup"];
            /** @description Teams. */
            participants: components["schemas"]["Page_Participant"];
            /** @description Videos of the library. */
            vod_media_items: components["schemas"]["Page_VodMediaItem"];
        };
        /** @description Who sells: what stands on each receipt. */
        Seller: {
            /**
             * @description Their address, a line after the other.
             * @example 400 Kestrel Way, Northfield, MN 55057
             */
            address: string;
            /**
             * @description Where questions go.
             * @example help@northfieldsports.example
             */
            contact?: string;
            /**
             * @description The operator's name.
             * @example Northfield Sports Network LLC
             */
            name: string;
        };
        SentEvent: components["schemas"]["BatchEvent"] | unknown;
        /** @description The answer of login and registration: the key that replaces the one that was sent, and who it is for. */
        Session: {
            /**
             * @description The new API key; the old one no longer works.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
            /** @description Whose it is. */
            user: components["schemas"]["Profile"];
        };
        /**
         * @description Body of `/datalake/session/`.
         * @example {
         *       "profile": "p-1",
         *       "session": "s-1",
         *       "device_type": "mobile",
         *       "platform": "web"
         *     }
         */
        SessionBody: components["schemas"]["Common"] & {
            device_type?: components["schemas"]["Label"] | null;
            platform?: components["schemas"]["Label"] | null;
            /** @description The browser's lasting analytics key. */
            profile: components["schemas"]["Label"];
            resolution?: components["schemas"]["Label"] | null;
            /** @description The session's id, as `/datalake/hash/` gave it. */
            session: components["schemas"]["Label"];
            user_agent?: components["schemas"]["Label"] | null;
        };
        /** @description The answer of `POST /auth/session_code`, asked by a device without a keyboard. */
        SessionCode: {
            /**
             * @description To be shown; entered at `/profile/sessions/add`.
             * @example 7QK4XM
             */
            code: string;
            /**
             * Format: int64
             * @description Until when it works, Unix seconds.
             * @example 1795284600
             */
            expires: number;
        };
        /** @description The channel's settings. */
        Settings: {
            /** @description Whether nothing is recorded without the viewer's consent, and whether Do-Not-Track silences them. */
            analytics?: components["schemas"]["AnalyticsSettings"];
            /** @description Logging in. */
            auth: components["schemas"]["AuthSettings"];
            /** @description Clips. */
            clips?: components["schemas"]["ClipSettings"];
            /**
             * @description ISO 4217; `USD` when the channel says nothing.
             * @example USD
             */
            currency: string;
            /** @description The tag manager's container, such as `GTM-ABC1234`. */
            "google-analytics"?: string | null;
            /**
             * @description `en` or `fr`.
             * @example en
             */
            language: string;
            /**
             * @description URL of its logo.
             * @example /media/northfield/logo.svg
             */
            logo?: string;
            /**
             * @description The channel's name, e.g. `Northfield Sports Network`.
             * @example Northfield Sports Network
             */
            name: string;
            /**
             * Format: int32
             * @description For how long a preroll that a viewer saw is not shown to them before the same event again, seconds.
             *     An hour when it is absent.
             * @example 3600
             */
            preroll_period_s?: number | null;
            /**
             * Format: int32
             * @description From which second on a preroll may be skipped; absent: never.
             * @example 5
             */
            preroll_skip_after_s?: number | null;
            /** @description The prerolls. */
            prerolls?: components["schemas"]["Preroll"][];
            /** @description The site key of reCAPTCHA, when it is on. */
            recaptcha_site_key?: string | null;
            /**
             * @description Whether payments are `sandbox`: no money moves, and the site says so.
             * @example true
             */
            sandbox_payments?: boolean;
            seller?: components["schemas"]["Seller"] | null;
            /**
             * @description Its short name, e.g. `Northfield`.
             * @example Northfield
             */
            short_name: string;
            /**
             * @description Whether `/simulate` is offered.
             * @example true
             */
            simulate?: boolean;
            /**
             * @description Texts by name, for fixed places on the site.
             * @example {
             *       "footer": "Times are shown in your time zone."
             *     }
             */
            static_blocks?: {
                [key: string]: string;
            };
            /** @description Stripe's publishable key, when payments are Stripe's. */
            stripe_publishable_key?: string | null;
            /** @description What stands for Stripe's script; absent: Stripe's own. */
            stripe_script_url?: string | null;
            /** @description The calls that nobody answers, by their paths: what needs one is not offered. Only in front of an upstream. */
            switched_off?: string[] | null;
            /**
             * @description What stands under the short name, e.g. `Sports Network`.
             * @example Sports Network
             */
            tagline?: string;
            /**
             * @description IANA name; times are shown in it when the viewer's is unknown.
             * @example America/Chicago
             */
            time_zone?: string;
            /**
             * @description The channel's analytics key, without which nothing is recorded.
             * @example northfield-demo
             */
            "yare-analytics"?: string | null;
        };
        /** @description The answer of `POST /stripe/setup-intent`. */
        SetupIntent: {
            /**
             * @description What a card is entered against.
             * @example seti_1_secret_1
             */
            client_secret: string;
        };
        /** @description Body of the calls that need a link's signature. */
        SignedLink: {
            /**
             * @description The account's address.
             * @example robin.hale@viewers.example
             */
            email?: string;
            /**
             * Format: int64
             * @description Until when the link works, Unix seconds.
             * @example 1800000000
             */
            expires?: number;
            /**
             * @description The link's signature.
             * @example q2k0c2lnbmF0dXJl
             */
            signature?: string;
        };
        /** @description A slide at the top of a page. */
        Slide: {
            /**
             * @description What its button says.
             * @example Event details
             */
            button?: string;
            /**
             * Format: int64
             * @description The event it announces.
             * @example 1
             */
            event_id?: number | null;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description URL of its picture.
             * @example /media/northfield/slides/tip-off.svg
             */
            image?: string;
            /**
             * @description Where its button leads, a path of the site.
             * @example /watch/1
             */
            link?: string;
            picture?: components["schemas"]["PictureFacts"] | null;
            /**
             * Format: int64
             * @description Of what the slide belongs to.
             */
            slidable_id?: number | null;
            /** @description `category`, `participant` or `group`; absent for the main slides. */
            slidable_type?: string | null;
            /**
             * @description A sentence under it.
             * @example Tip-off of the Prairie Conference season, from Kestrel Fieldhouse, Northfield.
             */
            text?: string;
            /**
             * @description Its headline; an event's title when absent.
             * @example
             */
            title?: string;
        };
        /** @description Body of `POST /v2/auth/social/{provider}`. */
        SocialLogin: {
            /**
             * @description What the provider's callback carried.
             * @example 4/0AX4XfWh
             */
            code: string;
            /**
             * @description The one-time value that the callback carried, bound to the API key.
             * @example b3BlbiBzZXNhbWU
             */
            state: string;
            /**
             * @description For someone who is not registered yet: the terms are accepted, register them.
             * @example true
             */
            terms?: boolean;
        };
        /** @description Where a social login begins. */
        SocialStart: {
            /**
             * @description The provider's page, to which the viewer is sent.
             * @example https://accounts.google.com/o/oauth2/v2/auth?client_id=northfield&state=b3BlbiBzZXNhbWU
             */
            url: string;
        };
        /** @description Body of `POST /stripe/subscription/start_trial`. */
        StartTrial: {
            /** @description The currency of these amounts, ISO 4217. */
            currency?: string | null;
            /**
             * Format: int64
             * @description What each renewal was said to cost in all, minor units.
             */
            expected_renewal_price?: number | null;
            /**
             * Format: int64
             * @description What the buyer was told to pay at once, minor units. Where anything that they were told is not so now, nothing
             *     is started: 409 `price_changed`.
             */
            expected_total?: number | null;
            /**
             * Format: int64
             * @description The free days that were promised.
             */
            expected_trial_days?: number | null;
            /**
             * @description The card that pays when the trial ends.
             * @example pm_1
             */
            payment_method_id: string;
            /**
             * Format: int64
             * @description The subscription's id.
             * @example 1
             */
            subscription_id: number;
        };
        /**
         * @description Where an event stands.
         * @example finished
         * @enum {string}
         */
        StreamStatus: "upcoming" | "live" | "finished";
        /** @description A subscription that can be bought. */
        Subscription: {
            /**
             * Format: int64
             * @description Minor units.
             * @example 1199
             */
            base_price: number;
            /**
             * @description ISO 4217.
             * @example USD
             */
            currency: string;
            /**
             * @description A sentence.
             * @example All sports and the whole library. 7 days free, then every 30 days.
             */
            description?: string;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description Its name.
             * @example Monthly subscription
             */
            name: string;
            /**
             * @description `annual` or `monthly`.
             * @example monthly
             */
            offer: string;
            /**
             * @description `annual`, `month` or `monthly`.
             * @example monthly
             */
            period: string;
            /**
             * Format: int64
             * @description What one period costs in all, minor units.
             * @example 1299
             */
            price: number;
            /**
             * Format: int64
             * @description Minor units.
             * @example 100
             */
            service_fee: number;
            /**
             * Format: int64
             * @description Free days before the first payment; 0 for none.
             * @example 7
             */
            trial_period: number;
            /**
             * Format: int64
             * @description Lower stands first.
             * @example 1
             */
            weight: number;
        };
        /** @description Where a bought subscription stands. */
        SubscriptionState: {
            /**
             * @description Until when it can be used, RFC 3339 UTC, where it does not renew or is past due.
             * @example 2026-12-21T18:00:00.000Z
             */
            access_until?: string | null;
            /** @description Whether it renews each 12 months; otherwise each 30 days. */
            annual?: boolean;
            /** @description `active` or `cancelled`. */
            auto_renew: components["schemas"]["AutoRenew"];
            /**
             * @description Until when it runs, RFC 3339 UTC.
             * @example 2026-12-21T18:00:00.000Z
             */
            current_period_end: string;
            /**
             * @description When it is charged next, RFC 3339 UTC; of one that is past due, when the card is tried again. Absent when it does
             *     not renew, and while a renewal waits for `next_action`.
             */
            next_charge_at?: string | null;
            /** @description Whether its last renewal is not paid: the viewer confirms it where the order has a `next_action`, or uses another card. */
            past_due?: boolean;
            /** @description The card that is charged, of `list-cards`; absent for one that was given, and for one that has ended and is not kept. */
            payment_method_id?: string | null;
            /**
             * Format: int64
             * @description What it is charged then in all, minor units.
             * @example 1299
             */
            renewal_price?: number | null;
            /** @description `active`, `inactive`, `expired` or `canceled`. */
            status: components["schemas"]["SubscriptionStatus"];
            /** @description Until when it is free, RFC 3339 UTC. */
            trial_end?: string | null;
        };
        /**
         * @description States of a subscription. In trial, paid and past due it is `active`; past due and closed it is `inactive`.
         * @example active
         * @enum {string}
         */
        SubscriptionStatus: "expired" | "inactive" | "active" | "canceled";
        /** @description A line of what a viewer paid and got back, renewals that failed included. */
        Transaction: {
            /**
             * Format: int64
             * @description Minor units, the fee within; below 0 where money went back to the viewer.
             * @example 1299
             */
            amount: number;
            /**
             * @description When, RFC 3339 UTC with milliseconds.
             * @example 2026-11-21T18:00:00.000Z
             */
            at: string;
            /**
             * @description E.g. `visa`.
             * @example visa
             */
            card_brand?: string | null;
            /**
             * @description The last four digits.
             * @example 4242
             */
            card_last4?: string | null;
            /**
             * @description ISO 4217.
             * @example USD
             */
            currency: string;
            /**
             * Format: int64
             * @description What a promo code took off, minor units.
             * @example 0
             */
            discount: number;
            /** @description Why it failed, for the viewer. */
            failure?: string | null;
            /**
             * Format: int64
             * @description The service fee within it, which holds the taxes, minor units.
             * @example 100
             */
            fee: number;
            /**
             * @description Its id: `c` and the charge's, or `o` and the order's where no money was asked for.
             * @example c12
             */
            id: string;
            /** @description What it is about. */
            kind: components["schemas"]["TransactionKind"];
            /**
             * @description Of money that went back: the number of the payment's receipt.
             * @example 2026-000011
             */
            of_receipt?: string | null;
            /**
             * Format: int64
             * @description The order.
             * @example 1
             */
            order_id: number;
            /** @description What it is of. */
            product: components["schemas"]["Product"];
            /**
             * @description The number of its receipt, where money moved.
             * @example 2026-000012
             */
            receipt?: string | null;
            /**
             * Format: int64
             * @description Of a payment: what was given back of it, minor units.
             * @example 0
             */
            refunded?: number;
            /** @description How it ended. */
            status: components["schemas"]["ChargeStatus"];
            /** @description What was bought. */
            type: components["schemas"]["OrderType"];
        };
        /**
         * @description What a line of [`Transaction`]s is about.
         * @example renewal
         * @enum {string}
         */
        TransactionKind: "purchase" | "renewal" | "refund" | "dispute" | "dispute_won" | "refund_failed" | "trial" | "grant" | "grant_ended";
        /** @description Body of `POST /stripe/unsubscribe`. */
        Unsubscribe: {
            /**
             * Format: int64
             * @description How long ago the viewer pressed, seconds, when they were offline then. A cancellation that arrives at most 48
             *     hours after its press, and after a renewal, refunds that renewal.
             */
            pressed_ago_s?: number | null;
            /**
             * Format: int64
             * @description The subscription's id.
             * @example 1
             */
            subscription_id: number;
        };
        /** @description Body of `POST /stripe/subscription/use_card`. */
        UseCard: {
            /**
             * @description The card that renews it from now on.
             * @example pm_1
             */
            payment_method_id: string;
            /**
             * Format: int64
             * @description The subscription's id.
             * @example 1
             */
            subscription_id: number;
        };
        /**
         * @description Body of `/datalake/video/event/`.
         * @example {
         *       "event": "played",
         *       "video_view_uuid": "v-1",
         *       "stream_id": 1,
         *       "stream_type": "live",
         *       "extras": {}
         *     }
         */
        VideoEventBody: components["schemas"]["Content"] & components["schemas"]["Viewer"] & components["schemas"]["Common"] & {
            /** @description What the player did, such as `opened`, `played`, `paused`, `ended`, `preroll_started`. */
            event: components["schemas"]["Label"];
            /** @description What belongs to this kind of event: any JSON, mostly an object; it is kept as it was sent. */
            extras?: unknown;
            stream_id?: components["schemas"]["Label"] | null;
            stream_type?: components["schemas"]["Label"] | null;
            /** @description One viewing of one video, from opening the player to leaving it. */
            video_view_uuid: components["schemas"]["Label"];
        };
        /**
         * @description Body of `/datalake/video/viewing/`: the heartbeat of a video being watched.
         * @example {
         *       "viewing_time": 10,
         *       "video_view_uuid": "v-1",
         *       "stream_id": 1,
         *       "stream_type": "live"
         *     }
         */
        VideoViewingBody: components["schemas"]["Content"] & components["schemas"]["Viewer"] & components["schemas"]["Common"] & {
            category?: components["schemas"]["Label"] | null;
            gender?: components["schemas"]["Label"] | null;
            league?: components["schemas"]["Label"] | null;
            school?: components["schemas"]["Label"] | null;
            sport?: components["schemas"]["Label"] | null;
            stream_id?: components["schemas"]["Label"] | null;
            stream_type?: components["schemas"]["Label"] | null;
            video_view_uuid?: components["schemas"]["Label"] | null;
            /**
             * Format: double
             * @description Seconds watched since the heartbeat before; 0 to 86,400.
             */
            viewing_time: number;
        };
        /** @description Who did something. */
        Viewer: {
            profile?: components["schemas"]["Label"] | null;
            session_uuid?: components["schemas"]["Label"] | null;
            /** @description The person's address; absent for an anonymous viewer. */
            user_email?: string | null;
            user_id?: components["schemas"]["Label"] | null;
        };
        /** @description A picture or a preview of a video. */
        VodAsset: {
            /**
             * @description URL.
             * @example /media/northfield/s/a1-1/open/master.m3u8
             */
            path: string;
            picture?: components["schemas"]["PictureFacts"] | null;
            /**
             * @description `image` or `preview`.
             * @example preview
             */
            type: string;
        };
        /** @description A category of the library. */
        VodMediaCategory: {
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description Its title.
             * @example Plays
             */
            title: string;
        };
        /** @description A video of the library. */
        VodMediaItem: {
            /** @description What a viewer needs to watch it. */
            access_type: components["schemas"]["AccessType"];
            /** @description Pictures and previews. */
            assets: components["schemas"]["VodAsset"][];
            /**
             * Format: int64
             * @description Its category in the library.
             * @example 1
             */
            category_id?: number | null;
            /**
             * @description `#rrggbb`, of that poster.
             * @example #1f4a96
             */
            color?: string;
            /**
             * @description When it was published, RFC 3339 UTC.
             * @example 2026-11-17T18:00:00.000Z
             */
            date: string;
            /**
             * @description A few sentences.
             * @example The ten best plays of the week, chosen by the coaches.
             */
            description?: string;
            /**
             * Format: double
             * @description How long it is, seconds.
             * @example 40
             */
            duration_s: number;
            /**
             * @description A large figure for its poster, when it has no picture, e.g. `10`.
             * @example 10
             */
            figure?: string;
            /**
             * @description Whether the asking viewer may watch it now.
             * @example true
             */
            has_access: boolean;
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description Whether it is closed to where the asking viewer is.
             * @example false
             */
            is_geo_blocked?: boolean;
            media?: components["schemas"]["Media"] | null;
            /**
             * @description Its title.
             * @example Ten plays of the week
             */
            title: string;
        };
        /** @description A rail of videos. */
        VodRail: {
            /**
             * Format: int64
             * @description Its id.
             * @example 1
             */
            id: number;
            /**
             * @description Its title.
             * @example Plays
             */
            title: string;
            /** @description The videos. */
            vod_media_items: components["schemas"]["VodMediaItem"][];
        };
        /**
         * @description What kind of thing is watched.
         * @enum {string}
         */
        WatchedKind: "event" | "vod";
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_AddSession: {
            /**
             * @description Six letters and digits.
             * @example 7QK4XM
             */
            code: string;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_Buy: {
            /** @description The currency of these amounts, ISO 4217. */
            currency?: string | null;
            /**
             * Format: int64
             * @description What each renewal of a subscription was said to cost in all, minor units.
             */
            expected_renewal_price?: number | null;
            /**
             * Format: int64
             * @description The fee within that total, minor units.
             */
            expected_service_fee?: number | null;
            /**
             * Format: int64
             * @description The total that the buyer was shown, minor units, after promo code and fee. Where it is not the total now, nothing
             *     is bought: 409 `price_changed`.
             */
            expected_total?: number | null;
            /**
             * Format: int64
             * @description Of the event, package or subscription.
             * @example 1
             */
            id: number;
            /**
             * Format: int64
             * @description For a team pass.
             */
            participant_id?: number | null;
            /**
             * @description A saved card, or one that was just entered.
             * @example pm_1
             */
            payment_method_id: string;
            /**
             * @description A promo code.
             * @example KICKOFF20
             */
            promo_code?: string | null;
            /**
             * @description Whether the card is kept for the next purchase once this one is paid; `true` where it is absent. A subscription keeps
             *     its card.
             */
            save_card?: boolean | null;
            /**
             * Format: int64
             * @description For a paid event.
             */
            single_event_package_id?: number | null;
            /** @description What is bought. */
            type: components["schemas"]["OrderType"];
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_FormSubmission: {
            /**
             * @description What was entered, by the fields' names; of one field 5,000 characters at most.
             * @example {
             *       "name": "Robin Hale",
             *       "email": "robin@viewers.example",
             *       "topic": "Watching",
             *       "message": "The sound stops after a minute."
             *     }
             */
            answers: {
                [key: string]: string;
            };
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_Login: {
            /**
             * @description The account's address.
             * @example demo@northfield.example
             */
            email?: string;
            /**
             * Format: password
             * @description Its password.
             * @example touchline
             */
            password?: string;
            /** @description The reCAPTCHA token, when the channel asks for one. */
            recaptcha_token?: string | null;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_MakeClip: {
            /**
             * Format: double
             * @description Seconds; at most 600, and not past the media's end.
             * @example 8
             */
            duration: number;
            /**
             * Format: int64
             * @description The event that the clip is cut from: its recording, or the window of its live stream. Absent for the library's.
             * @example 25
             */
            event_id?: number | null;
            /**
             * Format: int64
             * @description The event's or the video's media (see [`crate::catalogue::Media`]) that is cut.
             * @example 253
             */
            event_media_id: number;
            /**
             * Format: int64
             * @description Of a live stream: the number (media sequence) of the segment that `start_time` counts from.
             * @example 512
             */
            from_segment?: number | null;
            /**
             * @description 1 to 100 characters.
             * @example The winning goal
             */
            name: string;
            /**
             * Format: double
             * @description Seconds from the start of the media.
             * @example 4
             */
            start_time: number;
            /**
             * @description 1 to 10 tags of 1 to 50 characters.
             * @example [
             *       "goal"
             *     ]
             */
            tags: string[];
            /** @description Who may find it; by link when absent. */
            visibility?: components["schemas"]["ClipVisibility"];
            /**
             * Format: int64
             * @description The video of the library that the clip is cut from. Exactly one of the two is there.
             * @example 2
             */
            vod_id?: number | null;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_MarkFavorite: {
            /**
             * Format: int64
             * @description The id of the participant, group or category.
             * @example 101
             */
            favoritable_id: number;
            /**
             * @description `participant` (team), `group` or `participant_group` (school), `category` or `event_category` (sport).
             * @example participant
             */
            favoritable_type: string;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_Nothing: Record<string, never> & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_PasswordReset: (components["schemas"]["SignedLink"] & {
            /**
             * Format: password
             * @description 8 to 128 characters.
             * @example correct horse
             */
            password?: string;
            /**
             * Format: password
             * @description The same once more.
             * @example correct horse
             */
            password_confirmation?: string;
        }) & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_PasswordResetRequest: {
            /**
             * @description The account's address.
             * @example robin.hale@viewers.example
             */
            email?: string;
            /** @description The reCAPTCHA token, when the channel asks for one. */
            recaptcha_token?: string | null;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_PaymentMethod: {
            /**
             * @description For [`Buy::payment_method_id`].
             * @example pm_1
             */
            payment_method_id: string;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_PlaybackPosition: {
            /**
             * Format: int64
             * @description When it stood there, Unix milliseconds by the device's clock; one that is ahead of the worker's counts as now.
             * @example 1767225600000
             */
            at: number;
            /**
             * Format: int64
             * @description How long all of it is, milliseconds.
             * @example 5400000
             */
            duration_ms: number;
            /**
             * Format: int64
             * @description The id of the event or of the library's video.
             * @example 25
             */
            id: number;
            /** @description What kind of thing is watched. */
            kind: components["schemas"]["WatchedKind"];
            /**
             * Format: int64
             * @description Where it stands, milliseconds from the start.
             * @example 61500
             */
            position_ms: number;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_ProfileUpdate: {
            /**
             * @description Must be `patch`.
             * @example patch
             */
            _method?: string;
            /**
             * Format: password
             * @description The present password, to change the address or the password.
             */
            current_password?: string | null;
            /** @description A new address is to be verified anew; needs `current_password`. */
            email?: string | null;
            /**
             * @description 1 to 100 characters.
             * @example Robin
             */
            first_name?: string | null;
            /**
             * @description 1 to 100 characters.
             * @example Hale
             */
            last_name?: string | null;
            /**
             * Format: password
             * @description A new password, 8 to 128 characters; every other key of the person stops working.
             */
            password?: string | null;
            /**
             * Format: password
             * @description The same once more.
             */
            password_confirmation?: string | null;
            /**
             * @description Optional plus sign, then 10 to 14 digits with separators; empty to remove it.
             * @example +1 (555) 123-4567
             */
            phone?: string | null;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_Register: {
            /**
             * @description An address of the standard shape.
             * @example robin.hale@viewers.example
             */
            email?: string;
            /**
             * @description 1 to 100 characters.
             * @example Robin
             */
            first_name?: string;
            /**
             * @description 1 to 100 characters.
             * @example Hale
             */
            last_name?: string;
            /**
             * Format: password
             * @description 8 to 128 characters.
             * @example correct horse
             */
            password?: string;
            /**
             * Format: password
             * @description The same once more.
             * @example correct horse
             */
            password_confirmation?: string;
            /** @description The reCAPTCHA token, when the channel asks for one. */
            recaptcha_token?: string | null;
            /**
             * @description Must be true.
             * @example true
             */
            terms?: boolean;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_SandboxCard: {
            /**
             * @description Of the setup intent.
             * @example seti_1_secret_1
             */
            client_secret: string;
            /**
             * @description Three or four digits.
             * @example 123
             */
            cvc: string;
            /**
             * @description `MM/YY`.
             * @example 12/40
             */
            exp: string;
            /**
             * @description One of Stripe's test numbers.
             * @example 4242 4242 4242 4242
             */
            number: string;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_SandboxConfirm: {
            /**
             * @description Whether the viewer said yes.
             * @example true
             */
            accept: boolean;
            /**
             * @description Of [`NextAction`].
             * @example sandbox_7f3a
             */
            client_secret: string;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_SaveCard: {
            /** @description Whether it is offered first from now on. */
            is_default?: boolean | null;
            /**
             * @description A card that was entered, or one of `list-cards`.
             * @example pm_1
             */
            payment_method_id: string;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_SignedLink: {
            /**
             * @description The account's address.
             * @example robin.hale@viewers.example
             */
            email?: string;
            /**
             * Format: int64
             * @description Until when the link works, Unix seconds.
             * @example 1800000000
             */
            expires?: number;
            /**
             * @description The link's signature.
             * @example q2k0c2lnbmF0dXJl
             */
            signature?: string;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_SocialLogin: {
            /**
             * @description What the provider's callback carried.
             * @example 4/0AX4XfWh
             */
            code: string;
            /**
             * @description The one-time value that the callback carried, bound to the API key.
             * @example b3BlbiBzZXNhbWU
             */
            state: string;
            /**
             * @description For someone who is not registered yet: the terms are accepted, register them.
             * @example true
             */
            terms?: boolean;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_StartTrial: {
            /** @description The currency of these amounts, ISO 4217. */
            currency?: string | null;
            /**
             * Format: int64
             * @description What each renewal was said to cost in all, minor units.
             */
            expected_renewal_price?: number | null;
            /**
             * Format: int64
             * @description What the buyer was told to pay at once, minor units. Where anything that they were told is not so now, nothing
             *     is started: 409 `price_changed`.
             */
            expected_total?: number | null;
            /**
             * Format: int64
             * @description The free days that were promised.
             */
            expected_trial_days?: number | null;
            /**
             * @description The card that pays when the trial ends.
             * @example pm_1
             */
            payment_method_id: string;
            /**
             * Format: int64
             * @description The subscription's id.
             * @example 1
             */
            subscription_id: number;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_Unsubscribe: {
            /**
             * Format: int64
             * @description How long ago the viewer pressed, seconds, when they were offline then. A cancellation that arrives at most 48
             *     hours after its press, and after a renewal, refunds that renewal.
             */
            pressed_ago_s?: number | null;
            /**
             * Format: int64
             * @description The subscription's id.
             * @example 1
             */
            subscription_id: number;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
        /** @description A body with the API key in it. For the document; [`Keyed`] reads it. */
        WithKey_UseCard: {
            /**
             * @description The card that renews it from now on.
             * @example pm_1
             */
            payment_method_id: string;
            /**
             * Format: int64
             * @description The subscription's id.
             * @example 1
             */
            subscription_id: number;
        } & {
            /**
             * @description The API key.
             * @example 3q2hUoY5vJ7n1cTtWz0kX9bLrE4mSdPa
             */
            api_key: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
