"""The words of SQL: which write, which stand before a parenthesis, and which functions are known to change nothing."""

from mcp_assay.core.words import word_set

__all__ = ["FUNCTIONS", "KEYWORDS", "PRAGMAS", "PRAGMAS_OF", "TYPES", "WRITING"]


WRITING = word_set(
    """alter attach begin call checkpoint commit copy create deallocate delete deny detach discard dbcc do drop dumpfile
    exec execute grant handler insert into kill load lock merge nextval openquery openrowset opendatasource
    outfile overwrite pragma prepare procedure receive reconfigure reindex reset revert revoke rollback savepoint set
    share shutdown throw truncate update upsert vacuum waitfor
    updlock xlock holdlock tablock tablockx paglock rowlock"""
)
"""Bare words that no read holds. A column of such a name has to be quoted.

They include the statements of one word: SQL Server needs no semicolon between two, so what looks like the alias in
``SELECT 1 SHUTDOWN`` is a statement.
"""

KEYWORDS = word_set(
    """all and any apply as at before between by case cube distinct else end escape except exclude exists filter first
    following from group grouping having ilike in intersect is join lateral like limit materialized minus not of offset
    on only option or order over partition pivot preceding qualify recursive rollup rows select sets similar some table
    then to top using values when where window with within"""
)
"""Keywords that stand before a parenthesis and are no functions."""

TYPES = word_set(
    """array bigint binary bit blob bpchar bytea char character date datetime datetime2 datetimeoffset dec decimal
    double float int int64 integer interval json nchar number numeric nvarchar nvarchar2 range raw real row smallint str
    string struct text time timestamp timestamptz tinyint union uuid varbinary varbit varchar varchar2 varying year"""
)
"""Types, before whose parentheses a parser has to guess: it reads what is in them twice."""

FUNCTIONS = word_set(
    # aggregates and windows
    """any_value approx_count_distinct approx_distinct approx_percentile array_agg avg bit_and bit_or bit_xor bool_and
    bool_or corr count count_if countif covar_pop covar_samp cume_dist dense_rank every first_value group_concat
    json_agg json_arrayagg json_group_array json_group_object json_object_agg json_objectagg jsonb_agg jsonb_object_agg
    lag last_value lead listagg max max_by median min min_by mode nth_value ntile percent_rank percentile_approx
    percentile_cont percentile_disc quantile rank regr_intercept regr_r2 regr_slope row_number std stddev stddev_pop
    stddev_samp stdev string_agg sum sumif total uniq uniqexact var_pop var_samp variance wm_concat"""
    # conditions and types
    """ cast coalesce convert decode greatest if iff ifnull iif isnull isnumeric least nullif nullifzero nvl nvl2
    pg_typeof safe_cast to_bigint to_boolean to_char to_date to_decimal to_double to_number to_timestamp to_varchar
    try_cast try_convert try_to_number typeof zeroifnull"""
    # numbers
    """ abs acos asin atan atan2 cbrt ceil ceiling cos cot degrees div exp floor ln log log10 log2 mod pi pow power
    radians rand random round safe_divide sign sin sqrt square tan trunc width_bucket"""
    # texts
    """ ascii bit_length btrim char_length character_length charindex chr concat concat_ws contains difference ends_with
    endswith field find_in_set format format_bytes glob hex initcap instr lcase left len length like locate lower lpad
    ltrim md5 mid normalize octet_length overlay patindex pg_size_pretty phraseto_tsquery plainto_tsquery position
    printf quote quote_ident quote_literal quotename regexp_contains regexp_count regexp_extract regexp_instr
    regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr
    repeat replace replicate reverse right rpad rtrim sha1 sha2 sha256 similarity soundex space split split_part
    starts_with startswith strcmp string_split string_to_array string_to_table strlen strpos stuff substr substring
    substring_index to_base64 to_hex to_tsquery to_tsvector translate trim ts_headline ts_rank ts_rank_cd ucase unhex
    unicode unistr upper websearch_to_tsquery"""
    # dates
    """ add_months adddate addtime age curdate current_date current_time current_timestamp curtime date_add date_bin
    date_diff date_format date_part date_sub date_trunc dateadd datediff datefromparts datename datepart datetime_diff
    datetime_trunc day dayname dayofmonth dayofweek dayofyear eomonth extract from_unixtime getdate getutcdate hour
    isfinite julianday justify_days justify_hours last_day localtime localtimestamp make_date make_interval
    make_timestamp makedate maketime microsecond minute month monthname months_between now parse_date parse_timestamp
    period_diff quarter sec_to_time second statement_timestamp str_to_date strftime strptime subdate sysdatetime
    time_bucket time_format time_to_sec timediff timestamp_diff timestamp_trunc timestampadd timestampdiff to_days
    todate todatetime today tostartofday tostartofhour tostartofinterval tostartofminute tostartofmonth tostartofweek
    toyyyymm transaction_timestamp unix_timestamp unixepoch utc_timestamp week weekday yearweek yesterday"""
    # JSON, arrays and rows
    """ array_append array_cat array_contains array_dims array_length array_lower array_position array_positions
    array_prepend array_remove array_replace array_size array_to_string array_upper arraycontains arraylength
    cardinality explode flatten generate_array generate_date_array generate_series generate_subscripts json_array
    json_array_elements json_array_elements_text json_array_length json_build_array json_build_object json_contains
    json_each json_each_text json_exists json_extract json_extract_array json_extract_path json_extract_path_text
    json_extract_scalar json_extract_string json_keys json_length json_object json_object_keys json_parse json_query
    json_quote json_search json_set json_table json_to_record json_to_recordset json_tree json_type json_typeof
    json_unquote json_valid json_value jsonb_array_elements jsonb_array_elements_text jsonb_array_length
    jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text
    jsonb_object_keys jsonb_path_exists jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_pretty
    jsonb_to_record jsonb_to_recordset jsonb_typeof jsonextractint jsonextractstring openjson parse_json row_to_json
    sequence to_json to_json_string to_jsonb unnest"""
    # identifiers, places and vectors
    """ cosine_distance gen_random_uuid inet_aton inet_ntoa inner_product l2_distance newid randomblob st_area
    st_asgeojson st_astext st_contains st_distance st_dwithin st_geomfromtext st_intersects st_length st_makepoint
    st_point st_within st_x st_y zeroblob"""
    # what the database says of itself
    """ col_description current_catalog current_database current_role current_schema current_schemas current_setting
    current_user database db_name format_type has_column_privilege has_schema_privilege has_table_privilege
    obj_description object_id object_name pg_column_size pg_database_size pg_get_constraintdef pg_get_expr
    pg_get_functiondef pg_get_indexdef pg_get_viewdef pg_indexes_size pg_relation_size pg_table_size
    pg_total_relation_size pragma_foreign_key_list pragma_index_info pragma_index_list pragma_index_xinfo
    pragma_table_info pragma_table_list pragma_table_xinfo schema schema_name session_user shobj_description
    sqlite_source_id sqlite_version to_regclass user version"""
)
"""Functions that change nothing in any engine that has one of that name. What is not here is not known to."""

PRAGMAS = word_set(
    """application_id collation_list compile_options database_list encoding foreign_keys freelist_count function_list
    journal_mode module_list page_count page_size pragma_list schema_version table_list user_version"""
)
"""SQLite's pragmas that read when they are given nothing."""

PRAGMAS_OF = word_set("foreign_key_list index_info index_list index_xinfo table_info table_list table_xinfo")
"""Pragmas that read when they are given the name of a table or an index: their argument is no new value."""
