-- Revenue by day, channel and product, from the books only. Claims of browsers (`event`, `purchase`) are not included.
-- Amounts are whole minor units. `subscription_event` has the renewals too: sum only this table.
SELECT
    CAST(o.occurred_at AS DATE) AS day,
    o.channel,
    o.product_type,
    coalesce(p.name, s.name, e.name, any_value(o.product_name)) AS product,
    o.currency,
    CAST(sum(o.gross_minor) AS BIGINT) AS gross,
    CAST(sum(o.discount_minor) AS BIGINT) AS discount,
    CAST(sum(o.fee_minor) AS BIGINT) AS fee,
    CAST(-sum(CASE WHEN o.gross_minor = 0 THEN o.net_minor ELSE 0 END) AS BIGINT) AS sent_back,
    CAST(sum(o.net_minor) AS BIGINT) AS net
FROM order_event AS o
LEFT JOIN package_dim AS p ON o.product_type = 'package' AND p.channel = o.channel AND p.id = o.product_id
LEFT JOIN subscription_dim AS s ON o.product_type = 'subscription' AND s.channel = o.channel AND s.id = o.product_id
LEFT JOIN event_dim AS e ON o.product_type = 'event' AND e.channel = o.channel AND e.id = o.product_id
WHERE o.gross_minor <> 0 OR o.net_minor <> 0
GROUP BY CAST(o.occurred_at AS DATE), o.channel, o.product_type, o.product_id, o.currency, p.name, s.name, e.name
ORDER BY day, channel, product_type, product;
